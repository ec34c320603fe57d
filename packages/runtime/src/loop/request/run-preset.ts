import type { CallOptions } from '@modelport/core'
import type { ActionMode } from '../../reply/action-mode.js'
import type { ActionPrompt } from '../../reply/action-prompt.js'
import type { TextByMode } from '../../reply/corrections.js'
import type { GivenLimits } from './run-limits.js'

/** A way to run, as data. */
export interface RunPreset {
  /** Over the defaults. */
  readonly limits?: GivenLimits | undefined
  /** Under the request's own. */
  readonly options?: CallOptions | undefined
  /**
   * Replaces the instructions on how to act, for example to translate them. Default: those of the
   * mode.
   */
  readonly actionPrompt?: ActionPrompt | undefined
  /**
   * Text of one last call without tools, as an instruction, made when the limit of steps is
   * reached: the run then ends with a reply instead of `limit`. Unset: there is none.
   */
  readonly lastCallText?: string | undefined
  /** True makes the last call the last of `maxSteps`; false makes it one more. Default false. */
  readonly lastCallWithinSteps?: boolean | undefined
  /** Tells the model that it repeats a call; `{action}`, `{tool}` and `{args}` are filled in. */
  readonly repeatText?: string | undefined
  /**
   * Tells the model that its reply is not an action; `{error_message}` is filled in. An object has
   * a text for some modes, and the default for the others.
   */
  readonly parseFailureText?: TextByMode | undefined
  /**
   * True corrects prose in JSON mode like any reply that is not an action, up to
   * `maxParseFailures`. Default false: prose is corrected once, and if it comes again it is the
   * final reply.
   */
  readonly correctsProse?: boolean | undefined
  /**
   * The mode of a run for a model whose tool support is unknown, also if the run has no tools.
   * Default: native, and plain text without tools.
   */
  readonly unknownMode?: ActionMode | undefined
  /**
   * True takes failed replies and their corrections out of the transcript once an action is
   * understood. Default false.
   */
  readonly forgetParseFailures?: boolean | undefined
  /**
   * True adds a short text on tools to the instructions in native mode. Default false: the model
   * reads exactly what the application wrote.
   */
  readonly nativePrompt?: boolean | undefined
  /**
   * Added to the temperature with each failed tool call, up to 2, from 0 on. Unset: the temperature
   * stays.
   */
  readonly temperaturePerFailure?: number | undefined
}
