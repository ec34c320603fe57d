import { type ErrorCode, ProviderError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { name } from './messages.js'

/** The package that runs models, and how it is installed. */
export const installCommand = 'npm install node-llama-cpp@3.22.1'

/** A failure of this package. `type` names it for programs. */
export function toError(
  code: ErrorCode,
  message: string,
  type?: string,
  cause?: unknown,
): ProviderError {
  const details = { provider: name, ...(type && { type }) }
  return new ProviderError(
    code,
    `${name}: ${code}: ${message}`,
    details,
    cause === undefined ? undefined : { cause },
  )
}

/** Why node-llama-cpp could not be loaded. */
export function toInstallError(cause: unknown): ProviderError {
  const missing =
    (cause as { readonly code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND'
  if (missing)
    return toError(
      'config',
      `node-llama-cpp is not installed; install it: ${installCommand}`,
      'missing-package',
      cause,
    )
  return toError(
    'config',
    `node-llama-cpp does not load: ${errorText(cause)}`,
    'missing-package',
    cause,
  )
}

/** Why llama.cpp could not start on this machine. */
export const toBinaryError = (cause: unknown): ProviderError =>
  toError(
    'config',
    `there is no llama.cpp for this machine and the chosen gpu (${errorText(cause)}); reinstall with optional packages: ${installCommand}, or set gpu: false`,
    'missing-binary',
    cause,
  )

const memoryWords =
  /insufficient.{0,200}memory|too large for the available|not enough memory|out of (device )?memory|failed to allocate/i
const smaller =
  'set a smaller contextSize, fewer parallel replies, gpu: false, or take a smaller model'

/** Why a model or its context could not be made. `log` is what llama.cpp said. */
export function toLoadError(cause: unknown, what: string, log: readonly string[]): ProviderError {
  const message = errorText(cause)
  // Where llama.cpp itself runs out of memory, it says so in its log only.
  if (memoryWords.test(`${kindOf(cause)} ${message} ${log.join(' ')}`)) {
    return toError(
      'config',
      `too little memory for ${what}: ${message}; ${smaller}`,
      'insufficient-memory',
      cause,
    )
  }
  const reason = [message, ...log].join('; ')
  return toError('config', `${what} cannot be loaded: ${reason}`, 'unreadable-model', cause)
}

/**
 * How an evaluation fails in words of node-llama-cpp and its native part, what that means, and what
 * to do. The first that fits counts.
 */
const evaluationFailures: readonly (readonly [RegExp, ErrorCode, type: string, string])[] = [
  [memoryWords, 'config', 'insufficient-memory', `too little memory to continue; ${smaller}`],
  [
    /KV slot|free up space/i,
    'context-length',
    'context-full',
    'the context has no room left; shorten the conversation, raise contextSize, or allow fewer parallel replies',
  ],
  [
    /disposed|not loaded/i,
    'aborted',
    'model-freed',
    'the model was freed while it answered; end its replies first, or give them a provider of their own',
  ],
  [
    /grammar/i,
    'unsupported',
    'grammar',
    'llama.cpp does not follow the grammar of this schema or these tools; make it simpler, or ask without it',
  ],
  [
    /does not support token generation/i,
    'unsupported',
    'no-generation',
    'this model makes no text; take it for embeddings, or another one for replies',
  ],
]

/** Why a reply or a vector could not be made, or not to its end. `log` is what llama.cpp said. */
export function toEvaluationError(cause: unknown, log: readonly string[]): ProviderError {
  const detail = [errorText(cause), ...log].join('; ')
  const known = evaluationFailures.find(([words]) => words.test(`${kindOf(cause)} ${detail}`))
  if (known) return toError(known[1], `${known[3]} (${detail})`, known[2], cause)
  return toError(
    'server',
    `llama.cpp failed to evaluate: ${detail}; set gpu: false to see whether the graphics card is at fault, or a smaller contextSize`,
    'evaluation-failed',
    cause,
  )
}

const kindOf = (error: unknown): string =>
  error instanceof Error ? error.constructor.name.replace(/([a-z])([A-Z])/g, '$1 $2') : ''
