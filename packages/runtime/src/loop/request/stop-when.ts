import type { StopWhen } from './step-view.js'

/**
 * Stops a run after this many steps, as a success. A run that must not be longer has
 * `limits.maxSteps`.
 */
export const stepCountIs =
  (count: number): StopWhen =>
  ({ step }) =>
    step >= count

/** Stops a run after a step that called this tool. */
export const hasToolCall =
  (name: string): StopWhen =>
  ({ calls }) =>
    calls.some((call) => call.name === name)
