import type { CallOptions, ToolDefinition } from '@modelport/core'
import type { AgentTarget } from '../tools/agent-target.js'
import type { ActionMode } from './action-mode.js'

/** The instructions of a mode, and what they are made from. */
export interface ActionPromptParts {
  /** How actions are written: JSON or text. */
  readonly mode: ActionMode
  /** Tools the model may call in this step. */
  readonly tools: readonly ToolDefinition[]
  /** Agents the model may delegate to in this step. */
  readonly agents: readonly AgentTarget[]
  /** The default instructions. Empty: there is nothing to say. */
  readonly text: string
}

/**
 * Instructions on how to act, in place of the default ones: a text, or a function that is called
 * before each model call.
 */
export type ActionPrompt = string | ((parts: ActionPromptParts) => string)

/** Applies the application's own instructions. */
export const toActionText = (prompt: ActionPrompt | undefined, parts: ActionPromptParts): string =>
  prompt === undefined ? parts.text : typeof prompt === 'string' ? prompt : prompt(parts)

const briefly =
  'Think briefly before you decide: begin the object with "thought", in one short sentence.'
const thoroughly =
  'Think step by step before you decide, consider alternatives and check your reasoning: begin the object with "thought", with every step.'
const reasoningTexts: Readonly<Record<NonNullable<CallOptions['reasoning']>, string>> = {
  none: '',
  minimal: briefly,
  low: briefly,
  medium:
    'Think step by step before you decide: begin the object with "thought", with the main steps.',
  high: thoroughly,
  xhigh: thoroughly,
  max: thoroughly,
}

/** Asks a model in JSON mode to reason: it may have no parameter for that. */
export const toReasoningText = (level: CallOptions['reasoning']): string =>
  level ? reasoningTexts[level] : ''
