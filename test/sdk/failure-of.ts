/** What a promise rejects with; `{ answer }` when it does not reject. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await promise };
  } catch (cause) {
    return cause;
  }
}
