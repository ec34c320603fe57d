import { resolve } from 'node:path'
import { newProvider } from '@modelport/factory'
import type { Command } from 'commander'
import { ask } from '../chat/answer.js'
import { JsonView, TextView } from '../chat/answer-views.js'
import type { Cli, CommonOptions } from '../cli.js'
import { exitCodes } from '../exit-codes.js'
import { loadRecording, toRecordedTools } from '../recorded-chat.js'
import { noteAnswer } from './complete.js'
import { type Start, withCommonOptions } from './start.js'

interface ReplayOptions extends CommonOptions {
  readonly lenient?: boolean
}

/** `modelport replay`: the answer of a cassette, without a network. */
export function addReplay(program: Command, start: Start): void {
  withCommonOptions(program.command('replay').argument('<file>', 'cassette that "modelport record" wrote').argument('[prompt...]', 'ask this instead of what was asked'))
    .description('answer from a cassette; nothing is sent')
    .option('--lenient', 'compare method and path of requests only')
    .action((file: string, prompt: string[], options: ReplayOptions) => start(options, (cli) => replay(cli, resolve(file), prompt, options)))
}

async function replay(cli: Cli, file: string, words: readonly string[], { lenient = false }: ReplayOptions): Promise<number> {
  const { out, err, json, signal } = cli
  const recording = await loadRecording(file, lenient ? 'lenient' : 'strict')
  const { asked, player } = recording
  // Without an environment: nothing of this computer may change what is asked.
  const provider = await newProvider(recording.config, { environment: () => undefined })
  const view = json ? new JsonView(out) : new TextView({ out, err, reasoning: false, markdown: false })
  const messages = [{ role: 'user' as const, content: words.length ? words.join(' ') : asked.prompt }]
  const answer = await ask({ provider, messages, tools: toRecordedTools(asked), approve: () => Promise.resolve(true), options: asked.options, signal, view })
  signal.throwIfAborted()
  if (!json && !out.terminal && !answer.text.endsWith('\n')) out.line()
  noteAnswer(cli, answer, {}, false)
  player.assertAllUsed()
  return exitCodes.done
}
