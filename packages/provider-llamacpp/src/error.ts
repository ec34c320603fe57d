import { type ErrorCode, ProviderError } from '@modelport/core'
import { name } from './messages.js'

/** The package that runs models, and how it is installed. */
export const installCommand = 'npm install node-llama-cpp@3.22.1'

/** A failure of this package. `type` names it for programs. */
export function toError(code: ErrorCode, message: string, type?: string, cause?: unknown): ProviderError {
  return new ProviderError(code, `${name}: ${code}: ${message}`, { provider: name, ...(type && { type }) }, cause === undefined ? undefined : { cause })
}

/** Why node-llama-cpp could not be loaded. */
export function toInstallError(cause: unknown): ProviderError {
  const missing = (cause as { readonly code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND'
  if (missing) return toError('config', `node-llama-cpp is not installed; install it: ${installCommand}`, 'missing-package', cause)
  return toError('config', `node-llama-cpp does not load: ${messageOf(cause)}`, 'missing-package', cause)
}

/** Why llama.cpp could not start on this machine. */
export const toBinaryError = (cause: unknown): ProviderError =>
  toError(
    'config',
    `there is no llama.cpp for this machine and the chosen gpu (${messageOf(cause)}); reinstall with optional packages: ${installCommand}, or set gpu: false`,
    'missing-binary',
    cause,
  )

/** Why a model or its context could not be made. `log` is what llama.cpp said. */
export function toLoadError(cause: unknown, what: string, log: readonly string[]): ProviderError {
  const message = messageOf(cause)
  // Where llama.cpp itself runs out of memory, it says so in its log only.
  if (/insufficient.{0,200}memory|too large for the available|not enough memory|out of memory|failed to allocate/i.test(`${kindOf(cause)} ${message} ${log.join(' ')}`)) {
    const way = 'set a smaller contextSize, fewer parallel answers, gpu: false, or take a smaller model'
    return toError('config', `too little memory for ${what}: ${message}; ${way}`, 'insufficient-memory', cause)
  }
  const reason = [message, ...log].join('; ')
  return toError('config', `${what} cannot be loaded: ${reason}`, 'unreadable-model', cause)
}

const kindOf = (error: unknown): string => (error instanceof Error ? error.constructor.name.replace(/([a-z])([A-Z])/g, '$1 $2') : '')
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
