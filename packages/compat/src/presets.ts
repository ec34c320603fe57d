import type { RunPreset } from '@modelport/runtime'

/**
 * The limits and texts of other agent systems, for `limits.preset` of a run. What they send by
 * default, 4096 tokens and a temperature of 0.7, is `defaults: 'reference'` of a provider.
 */
export const runPresets: Readonly<
  Record<'protolink' | 'openparallax' | 'xaibo' | 'lllm', RunPreset>
> = Object.freeze({
  /**
   * Protolink, with its JSON actions for servers of which nobody says whether the model has tools.
   */
  protolink: {
    nativePrompt: true,
    unknownMode: 'json',
    correctsProse: true,
    repeatText:
      "You have already performed this action: {action}. The result is in your context. Please proceed with your task - either produce a 'final' response or take a different action.",
    parseFailureText: {
      json: "Your previous response could not be parsed as valid JSON. Error: {error_message}\nPlease respond with a valid JSON object containing 'type' and required fields.",
    },
    limits: {
      maxSteps: 10,
      maxParseFailures: 3,
      repeatWindow: 5,
      maxRepeats: Infinity,
      maxIdleSteps: Infinity,
    },
  },
  openparallax: {
    correctsProse: true,
    limits: { maxSteps: 25, repeatWindow: 0, maxRepeats: Infinity, maxIdleSteps: Infinity },
  },
  /** The last step has no tools. */
  xaibo: {
    correctsProse: true,
    limits: { maxSteps: 10, repeatWindow: 0, maxRepeats: Infinity, maxIdleSteps: Infinity },
    lastCallText: 'Maximum tool usage reached. Tools Unavailable',
    lastCallWithinSteps: true,
    temperaturePerFailure: 0.1,
  },
  lllm: {
    correctsProse: true,
    limits: {
      maxSteps: 5,
      maxParseFailures: 4,
      repeatWindow: Infinity,
      maxRepeats: Infinity,
      maxIdleSteps: Infinity,
    },
    lastCallText: 'You are reaching the limit of tool calls. Provide the final response.',
    repeatText:
      'The function {tool} with identical arguments {args} has been called earlier, please check the previous results and do not call it again.',
    parseFailureText: 'Error: {error_message}. Please fix.',
    forgetParseFailures: true,
  },
})
