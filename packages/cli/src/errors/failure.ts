import { type AgentError, isAgentError } from '@modelport/agent'
import { isLlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { diagnose, toFileNames } from '@modelport/factory'
import type { Printer } from '../terminal/printer.js'
import { AgentClientError } from './agent-client-error.js'
import { exitCodeOf } from './exit-code-of.js'
import { exitCodes, Interrupted, UsageError } from './exit-codes.js'
import { ReplyFormError } from './reply-form-error.js'
import { systemProblem } from './system-problem.js'
import { TurnLimitError } from './turn-limit-error.js'

/** A failure as data: what `--json` prints. */
export interface FailureReport {
  readonly error: {
    /** The code of the error, else `usage`, `interrupted` or `unknown`. */
    readonly code: string
    readonly message: string
    /** What to do about it, if that is known. */
    readonly fix?: string
  }
  readonly exitCode: number
}

const mcpFix =
  'Start the server by hand to see what it says; if it has an address, check that, its path included.'

/** Describes what was thrown. */
export function toFailureReport(error: unknown): FailureReport {
  const exitCode = exitCodeOf(error)
  const message = errorText(error)
  if (error instanceof UsageError) return { error: { code: 'usage', message }, exitCode }
  if (error instanceof Interrupted) return { error: { code: 'interrupted', message }, exitCode }
  if (!isLlmError(error))
    return { error: { code: 'unknown', message: systemProblem(error) ?? message }, exitCode }
  const { problem, fix } = diagnose(error)
  // These messages say themselves what to do.
  const isLimit = error instanceof TurnLimitError || error instanceof ReplyFormError
  // Advice about models is wrong for agents.
  if (isAgentError(error) || error instanceof AgentClientError)
    return { error: { code: error.code, message, ...agentFix(error) }, exitCode }
  // its package is loaded only by commands that need it
  const isOfStore = error.name === 'DurableError'
  const told = isLimit || isOfStore || ['config', 'request', 'unknown'].includes(problem)
  if (message.startsWith('MCP server "') && ['network', 'protocol'].includes(error.code))
    return { error: { code: error.code, message, fix: mcpFix }, exitCode }
  // Users of the command line write files, so messages name fields as files do.
  return {
    error: { code: error.code, message: toFileNames(message), ...(!told && { fix }) },
    exitCode,
  }
}

function agentFix(error: AgentError | AgentClientError): { readonly fix?: string } {
  if (error instanceof AgentClientError) return error.fix === undefined ? {} : { fix: error.fix }
  return error.reason === 'unauthenticated'
    ? { fix: 'Pass --token-env with the name of the variable that holds the bearer token.' }
    : {}
}

/** A message of a provider has the code too: `openai: 404 not-found: …`. One is enough. */
const withoutCode = (message: string, code: string): string =>
  message
    .replace(new RegExp(`^([\\w-]+: )${code} \\(([\\w-]+)\\)`), '$1$2')
    .replace(new RegExp(`^([\\w-]+: \\d{3}) ${code}(?=[ :])`), '$1')

/** Prints a failure to the error output; nothing for Ctrl-C, which the user knows of. */
export function printFailure(error: unknown, err: Printer, json: boolean): number {
  const report = toFailureReport(error)
  if (json) {
    err.json(report)
  } else if (report.exitCode !== exitCodes.interrupted) {
    const { code, message, fix } = report.error
    err.line(
      `${err.style('red', code === 'usage' || code === 'unknown' ? 'error:' : `error (${code}):`)} ${err.foreign(withoutCode(message, code))}`,
    )
    if (fix !== undefined) err.line(err.style('dim', fix))
  }
  return report.exitCode
}
