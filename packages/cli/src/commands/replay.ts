import { resolve } from 'node:path'
import type { ChatMessage } from '@modelport/core'
import { newProvider } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { printFailure } from '../errors/failure.js'
import { limitsOf, loadRecording, toRecordedTools } from '../recording/load-recording.js'
import { ask } from '../session/ask.js'
import { JsonView, TextView } from '../session/reply-views.js'
import { warnOfCut } from './complete.js'

/** Options of `modelport replay`. */
export interface ReplayOptions extends CommonOptions {
  readonly lenient?: boolean
}

/** Runs `modelport replay`; resolves to the exit code. */
export async function replay(
  cli: Cli,
  file: string,
  words: readonly string[],
  { lenient = false }: ReplayOptions,
): Promise<number> {
  const { out, err, json, signal } = cli
  const recording = await loadRecording(resolve(file), lenient ? 'lenient' : 'strict')
  const { asked, player } = recording
  // Without an environment: no setting of this computer may change the request.
  const provider = await newProvider(recording.config, { environment: () => undefined })
  const { tools, advance } = toRecordedTools(asked)
  const limits = limitsOf(asked)
  const { history = [], followUps = [] } = asked
  const prompts = words.length ? [words.join(' ')] : [asked.prompt, ...followUps]
  let messages: readonly ChatMessage[] = history
  for (const prompt of prompts) {
    const view = json ? new JsonView(out) : new TextView({ out, err, reasoning: false, markdown: false })
    const reply = await ask({
      provider,
      messages: [...messages, { role: 'user', content: prompt }],
      tools,
      limits,
      profile: { supportsTools: asked.supportsTools },
      onResults: ({ length }) => advance(length),
      options: asked.options,
      signal,
      view,
    })
    signal.throwIfAborted()
    messages = reply.messages
    if (reply.stopped) printFailure(reply.stopped, err, json)
    else if (!json) warnOfCut(cli, reply)
  }
  player.assertAllUsed()
  return exitCodes.done
}
