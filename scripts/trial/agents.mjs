// An agent in a process of its own, called by another, killed in the middle of its tool, and continued.
import { docBlocks } from '../../test/support/doc-blocks.ts'
import { compare, installsOf, savePrograms } from './pages.mjs'
import { Mishap } from './visitor.mjs'

const page = 'docs/guides/agent-that-survives.md'

/** The port that the page names is replaced by a free one: another program of this machine may have it. */
export async function killAnAgent({ visitor, model, address, port }) {
  for (const command of installsOf(page)) await visitor.run(command)
  savePrograms(page, visitor, (code) => code.replaceAll('http://127.0.0.1:8080/v1', address).replaceAll('4000', port))
  const [server, caller] = ['server.mts', 'call.mts'].map((name) =>
    docBlocks(page).find((block) => block.name === name),
  )
  model.script(server.replies)
  const first = visitor.start('node server.mts')
  await first.shows(/bank at/)
  const call = visitor.start('node call.mts')
  // A caller that ends before the tool runs has something to say.
  let asked = 0
  const paying = (server) => {
    asked++
    const early = call.ended.then(() => {
      throw new Mishap(
        'node call.mts',
        `${call.output}\n${server.output}`,
        `a call of the tool, for the ${asked === 1 ? 'first' : 'second'} time`,
      )
    })
    return Promise.race([server.shows(/pays invoice 17, key (\S+)/), early])
  }
  const [, key] = await paying(first)
  await first.kill()
  const second = visitor.start('node server.mts')
  const [, again] = await paying(second)
  if (again !== key) throw new Mishap('node server.mts', second.output, `the same key: ${key}`)
  if ((await call.ended) !== 0) throw new Mishap('node call.mts', call.output, 'exit code 0')
  await second.kill()
  compare('node call.mts', call.output, caller.prints)
  compare('node server.mts', (first.output + second.output).replaceAll(port, '4000'), server.prints)
  return 'called by another process, killed, continued with the same key'
}
