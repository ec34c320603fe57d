// What vendors share. Constants, and calls marked as free of side effects: a bundler keeps a vendor
// only where it is used.
import type { JsonObject } from '@modelport/core'

/** The usual levels of `reasoning`, as most servers take them. */
export const low = { reasoning_effort: 'low' }
/** See {@link low}. */
export const medium = { reasoning_effort: 'medium' }
/** See {@link low}. */
export const high = { reasoning_effort: 'high' }

/** Inputs of vendors that take neither sound nor files. */
export const textAndImages = ['text', 'image'] as const

/* @__NO_SIDE_EFFECTS__ */
/** An effort together with the switch of thinking. */
export const thinking = (level: string): JsonObject => ({
  thinking: { type: 'enabled' },
  reasoning_effort: level,
})
/** Turns thinking off. */
export const unthinking = { thinking: { type: 'disabled' } }
/* @__NO_SIDE_EFFECTS__ */
/** An effort as routers take it for every model behind them. */
export const routed = (level: string): JsonObject => ({ reasoning: { effort: level } })
/* @__NO_SIDE_EFFECTS__ */
/** A budget of thinking in tokens. */
export const budget = (tokens: number): JsonObject => ({
  enable_thinking: true,
  thinking_budget: tokens,
})
/* @__NO_SIDE_EFFECTS__ */
/** An effort as a variable of the chat template. */
export const template = (level: string): JsonObject => ({
  chat_template_kwargs: { enable_thinking: true, reasoning_effort: level },
})
/** Turns thinking off in the chat template. */
export const untemplated = { chat_template_kwargs: { enable_thinking: false } }

/**
 * Clocks of servers that load models, and hold tool calls back until they are whole, without a byte
 * on the wire.
 */
export const patient = { headersMs: 600_000, idleMs: 600_000, semanticIdleMs: 600_000 }
