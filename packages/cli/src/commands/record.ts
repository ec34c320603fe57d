import { resolve } from 'node:path'
import { newProvider } from '@modelport/factory'
import { ToolApproval } from '../chat/tool-approval.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { createLineReader } from '../context/line-reader.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadModels } from '../models/configured-models.js'
import { ChatRecording } from '../recording/chat-recording.js'
import { secretsOf } from '../secrets/secrets.js'
import { ask } from '../session/ask.js'
import { JsonView, TextView } from '../session/reply-views.js'
import { type OneCallFlags, type ToolFlags, toOneCallOptions, toTools } from './call-options.js'
import { warnOfCut } from './complete.js'
import { type LimitFlags, toLimits } from './limit-options.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport record`. */
export interface RecordOptions extends CommonOptions, OneCallFlags, Omit<ToolFlags, 'mcp'>, LimitFlags {
  readonly model?: string
  readonly baseUrl?: string
}

/** Runs `modelport record`; resolves to the exit code. */
export async function record(
  cli: Cli,
  path: string,
  words: readonly string[],
  options: RecordOptions,
): Promise<number> {
  const { out, err, json, signal, context, io } = cli
  const model = (await loadModels(cli)).pick(options.model, options.baseUrl)
  const callOptions = await toOneCallOptions(options)
  const limits = toLimits(options)
  const { tools } = await toTools(cli, options)
  const prompt = await readPrompt(cli, words)
  const { deadlineMs: _, ...repeated } = callOptions
  const start = { model, session: { messages: [] }, tools, limits, options: repeated }
  const recording = await ChatRecording.start(cli, resolve(path), start)
  const provider = await newProvider(recording.config, context)
  const view = json ? new JsonView(out) : new TextView({ out, err, reasoning: false, markdown: false })
  const stop = new AbortController()
  // Approvals are read from a terminal only: piped input belongs to the prompt.
  const lines = createLineReader(io)
  const question = {
    provider,
    messages: [{ role: 'user' as const, content: prompt }],
    tools,
    limits,
    profile: model.profile,
    options: callOptions,
    authorize: new ToolApproval(cli, lines, options.allowTools === true).begin(stop),
    signal: AbortSignal.any([signal, stop.signal]),
    view,
  }
  const reply = await ask(question).finally(() => {
    if (io.stdin.isTTY) lines.close()
  })
  signal.throwIfAborted()
  if (!json) warnOfCut(cli, reply)
  await recording.add(prompt, reply, secretsOf(model, cli))
  recording.report()
  if (reply.stopped) throw reply.stopped
  return exitCodes.done
}
