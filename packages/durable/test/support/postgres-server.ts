// A real PostgreSQL in a temporary folder. If none is available, `findPostgres` prints why and
// returns undefined.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PostgresServer {
  readonly url: string
  /** Stops it as a lost power supply would, and starts it again. */
  restart(): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Folder of the server's programs. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const folders = existsSync(root)
    ? readdirSync(root).map((version) => join(root, version, 'bin'))
    : []
  const inPath = (process.env['PATH'] ?? '').split(':')
  return [...folders, ...inPath].find((folder) => existsSync(join(folder, 'initdb')))
}

/** PostgreSQL refuses to run as root. */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const { status, stdout } = spawnSync('id', ['-u', name], { encoding: 'utf8' })
    if (status !== 0) continue
    const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8' }))
    return { uid: Number(stdout), gid }
  }
  return undefined
}

/** The server's programs, or undefined with the reason printed. */
export function findPostgres(): string | undefined {
  const programs = findPrograms()
  if (programs === undefined) console.log('skipped: PostgreSQL is not installed (no initdb found)')
  return programs
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts a server; `isSafe` makes it write through to the disk, which measurements want and tests
 * do not need.
 */
export async function startPostgres(
  programs: string,
  { isSafe = false } = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-postgres-'))
  const user = findUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const port = await freePort()
  const options = { ...user, cwd: folder, stdio: 'pipe' as const }
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'modelport', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  )
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=500',
  ]
  if (!isSafe) settings.push('fsync=off', 'full_page_writes=off')
  let child: ChildProcess | undefined
  const isReady = (): boolean =>
    spawnSync(join(programs, 'pg_isready'), [
      '-q',
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-t',
      '1',
    ]).status === 0
  const server: PostgresServer = {
    url: `postgres://modelport@127.0.0.1:${port}/postgres`,
    async start() {
      child = spawn(
        join(programs, 'postgres'),
        ['-D', data, ...settings.flatMap((one) => ['-c', one])],
        {
          ...options,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      )
      let log = ''
      child.stderr?.on('data', (chunk) => (log += String(chunk)))
      while (!isReady()) {
        if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async kill() {
      if (child?.exitCode !== null) return
      const closed = once(child, 'exit')
      child.kill('SIGQUIT') // immediate shutdown: no checkpoint, recovery at the next start
      await closed
    },
    async restart() {
      await server.kill()
      await server.start()
    },
    async stop() {
      await server.kill()
      rmSync(folder, { recursive: true, maxRetries: 5, force: true })
    },
  }
  await server.start()
  return server
}
