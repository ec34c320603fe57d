// The commands of the command line, in the order in which a stranger meets them.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findChromium } from '../runtimes/launch.mjs'
import { root } from '../workspaces.ts'
import { Mishap } from './visitor.mjs'

const question = 'Why is the sky blue?'

/** Types a message in the studio's page, and waits for the reply. */
async function chatInStudio(visitor, { reply, env }) {
  const { binary, reason } = findChromium()
  if (!binary) return `studio skipped: ${reason}`
  const { chromium } = createRequire(join(root, 'packages/studio/package.json'))('playwright-core')
  const studio = visitor.start('modelport studio', { env })
  const [url] = await studio.shows(/http:\/\/127\.0\.0\.1:\d+\/\S+/)
  const browser = await chromium.launch({
    executablePath: binary,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    const message = page.getByLabel('Message', { exact: true })
    await message.fill(question)
    await page.keyboard.press('Enter')
    await page
      .locator('.markdown', { hasText: reply })
      .waitFor({ timeout: 20_000 })
      .catch(async () => {
        throw new Mishap(
          'modelport studio',
          await page.locator('body').innerText(),
          `a reply like ${reply}`,
        )
      })
  } finally {
    await browser.close()
    await studio.kill()
  }
  return 'studio'
}

/** Sets a model up and uses it in every way. `init` is what is typed first. */
export async function useCommandLine(visitor, { init, input, reply, env }) {
  await visitor.run(init, { input, env })
  const doctor = await visitor.run('modelport doctor', { env })
  if (/✗/.test(doctor.output))
    throw new Mishap('modelport doctor', doctor.output, 'no step that failed')
  const chat = await visitor.run(`echo '${question}' | modelport chat`, { env })
  if (!reply.test(chat.stdout))
    throw new Mishap('modelport chat', chat.output, `a reply like ${reply}`)
  const complete = await visitor.run(`modelport complete '${question}'`, { env })
  if (!reply.test(complete.stdout))
    throw new Mishap('modelport complete', complete.output, `a reply like ${reply}`)
  return `init, doctor, chat, complete, ${await chatInStudio(visitor, { reply, env })}`
}

/**
 * Every entry of the command line starts: an import that the build spoilt is seen only when the
 * file is loaded.
 */
export async function startCommands(visitor, { version }) {
  const expected = {
    '--version': new RegExp(`^${version.replaceAll('.', '\\.')}\\s*$`),
    '--help': /^Usage: modelport /m,
    'studio --help': /^Usage: modelport studio /m,
    'agent --help': /^Usage: modelport agent /m,
  }
  for (const [args, text] of Object.entries(expected)) {
    const { output } = await visitor.run(`modelport ${args}`)
    if (!text.test(output)) throw new Mishap(`modelport ${args}`, output, text)
  }
  // SQLite must load to read the file.
  await visitor.run('touch tasks.db')
  const empty = await visitor.run('modelport agent tasks --store tasks.db', { fails: true })
  if (!empty.output.includes('"tasks.db" holds no store'))
    throw new Mishap('modelport agent tasks', empty.output, '"tasks.db" holds no store')
  return `${Object.keys(expected).length + 1} commands start`
}
