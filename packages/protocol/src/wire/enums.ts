/**
 * Closed lists of the values that this release knows. What arrives from a peer may be newer: results and events keep
 * values that are not listed here.
 */

/** The last three are terminal. */
export const SESSION_STATES = ["starting", "running", "stopped", "done", "failed"] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const TERMINAL_SESSION_STATES: readonly SessionState[] = ["stopped", "done", "failed"];

export const VIEWER_STATES = ["fresh", "used"] as const;
export type ViewerState = (typeof VIEWER_STATES)[number];

/** Which screens of a session a viewer's terminal is to be given. */
export const REPAINT_SCREENS = ["both", "active"] as const;
export type RepaintScreens = (typeof REPAINT_SCREENS)[number];

export const RUNTIME_STATES = [
  "starting",
  "live",
  "reconnecting",
  "terminal",
  "lost",
  "conflict",
  "incompatible",
] as const;
export type RuntimeState = (typeof RUNTIME_STATES)[number];

/**
 * What an attached client may do: `interactive` types and takes part in the size, `read_only` gets the program's output and
 * may not type, `view` gets a picture of the session's terminal that is made for its own size.
 */
export const ATTACH_MODES = ["interactive", "read_only", "view"] as const;
export type AttachMode = (typeof ATTACH_MODES)[number];

/** How a client of mode `view` sees a session: a window on its screen, or its text, broken anew for the client's width. */
export const VIEW_LAYOUTS = ["screen", "text"] as const;
export type ViewLayout = (typeof VIEW_LAYOUTS)[number];

export const RUNTIME_INVENTORY_STATUSES = [
  "managed",
  "orphaned",
  "conflict",
  "incompatible",
  "identity_mismatch",
] as const;
export type RuntimeInventoryStatus = (typeof RUNTIME_INVENTORY_STATUSES)[number];

export const AGENT_ACTIVITIES = ["working", "blocked", "idle"] as const;
export type AgentActivity = (typeof AGENT_ACTIVITIES)[number];

/** Ours, beside the activity: what is known more precisely. */
export const ACTIVITY_DETAIL_KINDS = [
  "unknown",
  "background",
  "retrying",
  "rate_limited",
  "stuck",
  "error",
  "approval",
  "question",
  "trust",
  "auth",
] as const;
export type ActivityDetailKind = (typeof ACTIVITY_DETAIL_KINDS)[number];

/** Ours: how an option of a visible question is chosen. */
export const CHOICE_WAYS = ["number", "down", "right"] as const;
export type ChoiceWay = (typeof CHOICE_WAYS)[number];

export const STATE_SOURCES = ["osc_title", "osc_progress", "screen", "process", "report"] as const;
export type StateSource = (typeof STATE_SOURCES)[number];

export const CWD_SOURCES = ["launch", "procwatch", "osc7"] as const;
export type CwdSource = (typeof CWD_SOURCES)[number];

export const WARNING_KINDS = ["fetch", "base_branch_fallback", "setup_script", "hook"] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export const FORK_CWD_MODES = ["same"] as const;
export type ForkCwdMode = (typeof FORK_CWD_MODES)[number];

/** In the order in which session.wait checks them; `timeout` last. */
export const WAIT_REASONS = [
  "state_matched",
  "activity_matched",
  "session_updated",
  "runtime_changed",
  "terminal_changed",
  "output_advanced",
  "timeout",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export const SUBAGENT_LIFECYCLES = ["running", "completed", "lost"] as const;
export type SubagentLifecycle = (typeof SUBAGENT_LIFECYCLES)[number];

export const READ_SOURCES = ["visible", "recent", "recent_unwrapped", "detection"] as const;
export type ReadSource = (typeof READ_SOURCES)[number];

export const HOST_CLASSES = ["reachable_daemon", "version_mismatch", "unreachable", "candidate"] as const;
export type HostClass = (typeof HOST_CLASSES)[number];

export const DOCTOR_STATUSES = ["ok", "warn", "fail"] as const;
export type DoctorStatus = (typeof DOCTOR_STATUSES)[number];

export const INTEGRATION_INSTALL_STATES = ["not_installed", "current", "outdated"] as const;
export type IntegrationInstallState = (typeof INTEGRATION_INSTALL_STATES)[number];

export const INTEGRATION_RECOVERIES = ["none", "reinstall", "repair_configuration"] as const;
export type IntegrationRecovery = (typeof INTEGRATION_RECOVERIES)[number];

export const NOTIFICATION_KINDS = [
  "agent_blocked",
  "approval_required",
  "turn_completed",
  "session_finished",
  "error",
  "system",
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const NOTIFICATION_SEVERITIES = ["info", "success", "warning", "error", "action_required"] as const;
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

export const NOTIFICATION_STATUSES = ["unread", "read", "acknowledged", "archived", "deleted"] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

export const PROJECT_SOURCES = ["auto", "manual"] as const;
export type ProjectSource = (typeof PROJECT_SOURCES)[number];

export const PROMPT_LAYERS = ["in_repo", "host"] as const;
export type PromptLayer = (typeof PROMPT_LAYERS)[number];

export const PROVIDER_KINDS = ["linear_issue", "github_pr", "none"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export const CONCEPT_INTENTS = ["setup", "project", "update", "debug", "help"] as const;
export type ConceptIntent = (typeof CONCEPT_INTENTS)[number];

export const PACKAGE_ORIGINS = ["official", "explicit_digest", "link"] as const;
export type PackageOrigin = (typeof PACKAGE_ORIGINS)[number];

export const PACKAGE_FAULTS = [
  "root_missing",
  "root_modified",
  "root_unsafe",
  "root_unreadable",
  "descriptor_missing",
  "descriptor_invalid",
  "identity_mismatch",
  "runtime_not_claimable",
  "runtime_conflict",
] as const;
export type PackageFault = (typeof PACKAGE_FAULTS)[number];

export const PACKAGE_FINDING_KINDS = [
  "fault",
  "unregistered_root",
  "pinned_not_installed",
  "selection_blocked",
] as const;
export type PackageFindingKind = (typeof PACKAGE_FINDING_KINDS)[number];

export const PACKAGE_INSTALL_STATUSES = ["preview", "installed", "already_installed", "root_restored"] as const;
export type PackageInstallStatus = (typeof PACKAGE_INSTALL_STATUSES)[number];

export const PACKAGE_BIND_STATUSES = ["preview", "bound", "unchanged"] as const;
export type PackageBindStatus = (typeof PACKAGE_BIND_STATUSES)[number];

export const RETENTION_REASONS = ["terminal", "lost"] as const;
export type RetentionReason = (typeof RETENTION_REASONS)[number];

export const RETENTION_HOLDS = [
  "worktree_uncommitted",
  "worktree_untracked",
  "worktree_unpushed",
  "worktree_unknown",
] as const;
export type RetentionHold = (typeof RETENTION_HOLDS)[number];

/** Statuses of a relay enrollment that are known. */
export const ENROLLMENT_STATUSES = ["active", "rotating", "quarantined"] as const;
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number];

/** What a session's first program is: a shell at its prompt, a command that ends by itself, or an agent. */
export const LAUNCH_KINDS = ["shell", "command", "agent"] as const;
export type LaunchKind = (typeof LAUNCH_KINDS)[number];

/**
 * What becomes of a name that a running session has already: it is given all the same, it is refused
 * (`session_name_taken`), or a number makes it another one. Ended sessions keep their names for `number` alone.
 */
export const NAME_CLASHES = ["allow", "refuse", "number"] as const;
export type NameClash = (typeof NAME_CLASHES)[number];

/**
 * Ours: how far an input is known to have come. `queued`: nothing of it is submitted yet. `written`: the program was given all
 * of it. `echoed`: it was then seen on the screen. `turn_started`: the agent began to work after it. `refused` and `expired`:
 * it was not submitted and never will be. `unknown`: it can't be told.
 */
export const INPUT_STATES = ["queued", "written", "echoed", "turn_started", "refused", "expired", "unknown"] as const;
export type InputState = (typeof INPUT_STATES)[number];

/** Ours: what was typed. `initial` came with the session, `answer` answers a question on the screen. */
export const INPUT_KINDS = ["prompt", "initial", "answer"] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/**
 * Ours: when a prompt is written. `idle`: only while the agent waits for one. `now`: also in the middle of a turn, whatever
 * that does to it. `queue`: kept by the host until the agent waits for one.
 */
export const INPUT_MOMENTS = ["idle", "now", "queue"] as const;
export type InputMoment = (typeof INPUT_MOMENTS)[number];

/** Ours: what a prompt does in the middle of a turn, as the agent's package says. */
export const MID_TURN_EFFECTS = ["queued", "steering", "cuts_request"] as const;
export type MidTurnEffect = (typeof MID_TURN_EFFECTS)[number];

/** Ours: what becomes of several lines for a program that did not ask for pastes. */
export const UNPASTED_CHOICES = ["raw", "refuse"] as const;
export type UnpastedChoice = (typeof UNPASTED_CHOICES)[number];
