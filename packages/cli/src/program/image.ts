import type { Command } from 'commander'
import type { Start } from '../context/start.js'
import { withMediaOptions } from './media-flags.js'
import { toCount } from './numbers.js'

/** `modelport image`: makes images, or changes some, and writes them to files. */
export function addImage(program: Command, start: Start): void {
  withMediaOptions(
    program.command('image').argument('[prompt...]', 'what to show; what is piped in comes after it'),
    'image',
  )
    .description('make an image, or change one, and write it to a file')
    .option('-o, --out <file>', 'where to write; several images are numbered, the ending follows the format', 'image')
    .option('-n, --count <number>', 'how many images', toCount)
    .option('--size <pixels>', 'width and height, for example 1024x1024')
    .option('--aspect-ratio <ratio>', 'for example 16:9, for vendors that take no pixels')
    .option('--quality <word>', "the vendor's own word, for example high")
    .option('--background <kind>', 'transparent or opaque')
    .option('--format <name>', 'png, jpeg or webp')
    .option('-i, --image <files...>', 'images to start from')
    .option('--mask <file>', 'a PNG: where it is transparent, the image changes')
    .option('--force', 'replace files that exist')
    .action(start(async () => (await import('../commands/image.js')).image))
}
