/** The recipes of the seven agents that can be run offline; proven with the versions in scripts/testing/agent-clis.ts. */

import type { LiveAgent } from "../../../scripts/testing/agent-clis.ts";
import type { Place, Recipe } from "./recipe.ts";

const ESCAPE = "\x1b";
const ENTER = "\r";

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

function claude({ modelUrl, project, isTrusted }: Place): Recipe {
  return {
    agent: "claude",
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      // With a key in place of a token it asks whether it may use it.
      ANTHROPIC_AUTH_TOKEN: "not-a-secret",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    files: {
      // Without the first setting it tests its connection to the vendor and ends.
      ".claude.json": json({
        hasCompletedOnboarding: true,
        theme: "dark",
        ...(isTrusted && { projects: { [project]: { hasTrustDialogAccepted: true } } }),
      }),
      // In its own default mode a model decides, and nobody is asked.
      ".claude/settings.json": json({ disableAutoMode: "disable" }),
    },
    screen: { ready: /^❯/m, question: /Do you want to|Tab to amend|Red[\s\S]*Blue/, trust: /I trust this folder/ },
    keys: { approve: ["1"], deny: [ESCAPE], interrupt: [ESCAPE], quit: "/exit", trust: "2" },
    traits: { goesOnAfterDenial: false },
  };
}

function codex({ modelUrl, project }: Place): Recipe {
  const provider = [
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_MODEL_KEY"',
  ];
  return {
    agent: "codex",
    env: { SCRIPTED_MODEL_KEY: "not-a-secret" },
    files: {
      ".codex/config.toml": [
        // A model of its own catalogue: with another it warns and offers fewer tools.
        'model = "gpt-6-sol"',
        'model_provider = "scripted"',
        'approval_policy = "on-request"',
        'sandbox_mode = "workspace-write"',
        "check_for_update_on_startup = false",
        ...provider,
        `[projects."${project}"]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    },
    // Without its server in the background it never asks about trust.
    screen: { ready: /^› /m, question: /Would you like to (run|make)/ },
    keys: { approve: ["y"], deny: [ESCAPE], interrupt: [ESCAPE], quit: "/quit" },
    traits: { goesOnAfterDenial: false },
  };
}

/** Asks before each command: pi itself asks for nothing. */
const PI_GATE = `export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return;
    const isAllowed = await ctx.ui.confirm("Allow this command?", String(event.input.command));
    if (!isAllowed) return { block: true, reason: "Refused by the user" };
  });
}
`;

function pi({ modelUrl }: Place): Recipe {
  const model = { id: "scripted", name: "Scripted", contextWindow: 128_000, maxTokens: 8192 };
  const provider = { baseUrl: `${modelUrl}/v1`, api: "openai-completions", apiKey: "not-a-secret", models: [model] };
  return {
    agent: "pi",
    env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
    files: {
      ".pi/agent/models.json": json({ providers: { scripted: provider } }),
      ".pi/agent/settings.json": json({
        defaultProvider: "scripted",
        defaultModel: "scripted",
        enableInstallTelemetry: false,
      }),
      ".pi/agent/extensions/gate.ts": PI_GATE,
    },
    screen: { ready: /scripted/, question: /Allow this command\?/ },
    keys: { approve: [ENTER], deny: [ESCAPE], interrupt: [ESCAPE], quit: "/quit" },
    traits: { goesOnAfterDenial: true },
  };
}

function gemini({ modelUrl, project, isTrusted }: Place): Recipe {
  return {
    agent: "gemini",
    env: { GEMINI_API_KEY: "not-a-secret", GOOGLE_GEMINI_BASE_URL: modelUrl },
    files: {
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        model: { name: "gemini-2.5-pro" },
      }),
      ...(isTrusted && { ".gemini/trustedFolders.json": json({ [project]: "TRUST_FOLDER" }) }),
    },
    screen: {
      ready: /Type your message/,
      working: /esc to cancel/,
      question: /Allow execution|Apply this change|Allow once/,
      trust: /Do you trust/i,
    },
    keys: { approve: [ENTER], deny: [ESCAPE], interrupt: [ESCAPE], quit: "/quit", trust: "1" },
    traits: { goesOnAfterDenial: false },
  };
}

function opencode({ modelUrl }: Place): Recipe {
  const model = { name: "Scripted", limit: { context: 128_000, output: 8192 }, tool_call: true };
  const options = { baseURL: `${modelUrl}/v1`, apiKey: "not-a-secret" };
  const provider = { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models: { one: model } };
  return {
    agent: "opencode",
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      ".config/opencode/opencode.json": json({
        model: "scripted/one",
        small_model: "scripted/one",
        autoupdate: false,
        share: "disabled",
        permission: { bash: "ask", edit: "ask" },
        provider: { scripted: provider },
      }),
    },
    screen: {
      ready: /Ask anything|ctrl\+p commands/,
      working: /esc (again to )?interrupt/,
      question: /Permission required|Red[\s\S]*Blue/,
    },
    keys: { approve: [ENTER], deny: [ESCAPE], interrupt: [ESCAPE, ESCAPE], quit: "/exit" },
    traits: { goesOnAfterDenial: false, retriesForever: true, marksByColour: true, namesConversationAtEnd: true },
  };
}

function qwen({ modelUrl, project }: Place): Recipe {
  return {
    agent: "qwen",
    env: { OPENAI_API_KEY: "not-a-secret", OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: "scripted" },
    files: {
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        model: { name: "scripted" },
        tools: { approvalMode: "default" },
      }),
      ".qwen/trustedFolders.json": json({ [project]: "TRUST_FOLDER" }),
    },
    screen: {
      ready: /Type your message/,
      working: /esc to cancel/,
      question: /Waiting for user confirmation|Allow execution|Apply this change/,
    },
    keys: { approve: ["1"], deny: [ESCAPE], interrupt: [ESCAPE], quit: "/quit" },
    traits: { goesOnAfterDenial: false },
  };
}

function copilot({ modelUrl, project, isTrusted }: Place): Recipe {
  return {
    agent: "copilot",
    env: {
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "not-a-secret",
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    },
    files: {
      ".copilot/config.json": json({ banner: "never", ...(isTrusted && { trusted_folders: [project] }) }),
    },
    screen: {
      ready: /^❯/m,
      working: /◎ Working/,
      question: /Do you want to (run|edit|create|allow)|Red[\s\S]*Blue/,
      trust: /trust/i,
    },
    keys: { approve: ["1"], deny: [ESCAPE], interrupt: [ESCAPE, ESCAPE], quit: "/exit", trust: "1" },
    traits: { goesOnAfterDenial: false },
  };
}

const RECIPES: Readonly<Record<LiveAgent, (place: Place) => Recipe>> = {
  claude,
  codex,
  pi,
  gemini,
  opencode,
  qwen,
  copilot,
};

export const recipeOf = (agent: LiveAgent, place: Place): Recipe => RECIPES[agent](place);
