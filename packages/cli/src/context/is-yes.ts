/** True for an answer that allows. */
export const isYes = (answer: string | undefined): boolean => /^y(es)?$/i.test(answer?.trim() ?? '')
