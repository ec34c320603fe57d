// A stranger at a terminal: an empty home, a plain Node, npm, and nothing of this repository.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const limitMs = 100_000

/** Commands run in a shell, as they are typed. */
export class Visitor {
  #environment
  #toInstall
  #running = new Set()

  /**
   * @param global where `npm install --global` installs; default: a folder of its own.
   * @param programs a folder of programs of this machine
   * @param toInstall what is typed in place of an `npm install` line of a page
   */
  constructor({ node, registry, folder, name, global, programs, toInstall }) {
    this.#toInstall = toInstall
    this.home = mkdtempSync(join(folder, `${name}-`))
    this.folder = join(this.home, 'project')
    mkdirSync(this.folder)
    this.global = global ?? join(this.home, '.npm-global')
    // How this machine reaches the world is not the stranger's affair.
    const connection = Object.entries(process.env).filter(([name]) =>
      /^(?:NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i.test(name),
    )
    this.#environment = {
      ...Object.fromEntries(connection),
      PATH: [
        join(this.global, process.platform === 'win32' ? '' : 'bin'),
        dirname(node),
        programs,
        process.env.PATH,
      ]
        .filter(Boolean)
        .join(delimiter),
      HOME: this.home,
      TMPDIR: this.home,
      NO_COLOR: '1',
      npm_config_registry: registry,
      npm_config_prefix: this.global,
      // Shared by all visitors: each would fetch the same tarballs again.
      npm_config_cache: join(folder, 'npm-cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      npm_config_fetch_retries: '0',
    }
  }

  /** Starts a command: `output` grows, `ended` is its exit code, `shows(text)` waits for a text. */
  start(command, { input, env } = {}) {
    const child = spawn(command, {
      shell: true,
      detached: true,
      cwd: this.folder,
      env: { ...this.#environment, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    const state = { command, output: '', stdout: '' }
    const waiting = []
    const look = () => {
      for (const one of [...waiting])
        if (one.text.test(state.output)) {
          waiting.splice(waiting.indexOf(one), 1)
          one.resolve(one.text.exec(state.output))
        }
    }
    child.stdout.on('data', (chunk) => {
      state.stdout += String(chunk)
      state.output += String(chunk)
      look()
    })
    child.stderr.on('data', (chunk) => {
      state.output += String(chunk)
      look()
    })
    child.stdin?.end(input)
    const timer = setTimeout(() => this.#kill(child), limitMs)
    state.ended = new Promise((resolve) => {
      child.on('error', (error) => (state.output += error.message))
      child.on('close', (code) => {
        clearTimeout(timer)
        this.#running.delete(child)
        for (const { text, reject } of waiting)
          reject(new Mishap(command, state.output, `a text like ${text}`))
        resolve(code)
      })
    })
    state.shows = (text) =>
      new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject })
        look()
      })
    state.kill = async () => {
      this.#kill(child)
      await state.ended
    }
    this.#running.add(child)
    return state
  }

  /** Runs a command to its end. A failure is what the stranger would have seen. */
  async run(command, { input, env, fails = false } = {}) {
    const running = this.start(command, { input, env })
    const code = await running.ended
    if ((code === 0) === fails)
      throw new Mishap(command, running.output, `exit code ${fails ? 'above 0' : '0'}, not ${code}`)
    return running
  }

  /** Runs an `npm install` line of a page, as a reader types it today. */
  install(command) {
    return this.run(this.#toInstall(command))
  }

  #kill(child) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }

  close() {
    for (const child of this.#running) this.#kill(child)
  }
}

/** What a stranger typed, saw, and had been promised. */
export class Mishap extends Error {
  constructor(command, seen, expected) {
    const indent = (text) => String(text).trimEnd().replace(/^/gm, '         ')
    super(`$ ${command}\n${indent(seen.slice(-3000))}\n       expected\n${indent(expected)}`)
  }
}
