import { runtime } from "./row.ts";

/** Codes about what is typed into sessions. */
export const inputErrors = () => ({
  session_input_rejected: runtime("The session refused the input."),
  session_input_blocked: runtime("The session's program does not take input now.", { retryable: true }),
  session_input_incomplete: runtime("Only a part of the input was written; the rest was dropped.", {
    hint: "Look at the session's screen before sending more.",
    isOurs: true,
  }),
  session_agent_blocked: runtime("The agent waits for a decision, so text was not typed into it.", {
    hint: "Attach and answer its question first.",
  }),
  session_agent_working: runtime("The agent is in the middle of a turn, and the text would change that turn.", {
    hint: "Say what is meant: --when now, queue or idle.",
    retryable: true,
    isOurs: true,
  }),
  session_agent_not_ready: runtime("Nothing shows that the agent reads its input now.", {
    hint: "Look at the session's screen; --force types all the same.",
    retryable: true,
    isOurs: true,
  }),
  session_input_not_pasted: runtime("The program did not ask for pastes, so several lines would be taken one by one.", {
    hint: "Send one line, or say that they are to be sent as they are (--unpasted raw).",
    isOurs: true,
  }),
  session_question_gone: runtime("The agent asks nothing now.", { isOurs: true }),
  session_question_changed: runtime("The agent asks something else than what was answered; nothing was confirmed.", {
    hint: "Look at its question again: pohunek answer <session>",
    isOurs: true,
  }),
  session_answer_invalid: runtime("The question has no such option.", { isOurs: true }),
  session_answer_unsupported: runtime("It is not known which keys answer this question.", {
    hint: "Attach and answer it there.",
    isOurs: true,
  }),
  session_input_id_reused: runtime("This input id belongs to another text.", { isOurs: true }),
  session_input_expired: runtime("The input waited too long and was dropped; nothing of it was written.", {
    isOurs: true,
  }),
  session_input_not_found: runtime("No receipt of this input id is kept.", { isOurs: true }),
  session_input_invalid_wait: runtime("The wait that came with the input is not valid."),
  session_input_wait_unsupported: runtime("This session cannot tell when its input was taken up."),
  session_input_timeout: runtime("The input was written, but the awaited activity did not come in time.", {
    exitCode: 124,
  }),
  session_input_interrupted: runtime("The input was interrupted before it was sent completely.", { side: "cli" }),
});
