import type { Command } from 'commander'
import type { Start } from '../context/start.js'
import { withMediaOptions } from './media-flags.js'

/** `modelport transcribe`: writes down what is said in a recording. */
export function addTranscribe(program: Command, start: Start): void {
  withMediaOptions(program.command('transcribe').argument('<file>', 'the recording'), 'transcription')
    .description('transcribe a recording')
    .option('--language <code>', 'language of the speech, for example en')
    .option('--prompt <text>', 'names and spellings to expect')
    .option('--timestamps <kind>', 'segment or word: print when each was said')
    .action(start(async () => (await import('../commands/transcribe.js')).transcribe))
}
