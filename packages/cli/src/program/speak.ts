import type { Command } from 'commander'
import type { Start } from '../context/start.js'
import { withMediaOptions } from './media-flags.js'
import { toNumber } from './numbers.js'

/** `modelport speak`: speaks a text into a file. */
export function addSpeak(program: Command, start: Start): void {
  withMediaOptions(
    program.command('speak').argument('[text...]', 'what to say; what is piped in comes after it'),
    'speech',
  )
    .description('speak a text, and write the sound to a file')
    .option('-o, --out <file>', 'where to write; without an ending it follows the format', 'speech')
    .option('--voice <name>', "the vendor's name of the voice")
    .option('--format <name>', 'mp3, opus, aac, flac, wav or pcm')
    .option('--speed <number>', '1 is the speed of the voice', toNumber)
    .option('--instructions <text>', 'how to speak')
    .option('--force', 'replace a file that exists')
    .action(start(async () => (await import('../commands/speak.js')).speak))
}
