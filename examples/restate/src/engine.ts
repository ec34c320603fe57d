import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Restate's server, and a service behind it. */
export interface Engine {
  /** Starts the service in a process of its own. Restate finds it at the same address each time. */
  startService(): Promise<ChildProcess>
  /** Wakes a run. `send` returns at once; `call` waits for what the handler returns. */
  wake(id: string, how: 'call' | 'send'): Promise<unknown>
  /** Calls a handler by its path at the ingress: `invoices/invoice-1/decide`. */
  call(path: string, body?: unknown): Promise<unknown>
  /** Waits for the result of a workflow. */
  attach(workflow: string, id: string): Promise<unknown>
  close(): Promise<void>
}

/** The program of the server for this processor; undefined where there is none. */
export function findServer(): string | undefined {
  try {
    const { resolve } = createRequire(
      createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'),
    )
    return resolve(`@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`)
  } catch {
    return undefined
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const post = async (url: string, body: unknown): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/**
 * Starts Restate's server with its files in `folder`, for loopback addresses only. `program` is the
 * service.
 */
export async function startEngine(
  server: string,
  folder: string,
  program: readonly string[],
): Promise<Engine> {
  const node = await freePort()
  const ingress = await freePort()
  const admin = await freePort()
  const service = await freePort()
  const files = join(folder, 'restate')
  mkdirSync(files)
  const engine = spawn(
    server,
    [
      '--base-dir',
      files,
      '--listen-mode',
      'tcp',
      '--bind-address',
      `127.0.0.1:${node}`,
      '--node-name',
      'one',
    ],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_DISABLE_TELEMETRY: 'true',
        // A wake is tried again at least so often.
        RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL: '500ms',
      },
    },
  )
  const children: ChildProcess[] = [engine]
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${admin}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isUp())) {
    if (engine.exitCode !== null)
      throw new Error(`the server of Restate ended with ${engine.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  let known = false
  return {
    startService: async () => {
      const child = spawn(process.execPath, [...program, folder, String(service)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        // Without: the SDK warns of requests without a signature, which come from this machine
        // alone.
        env: { ...process.env, RESTATE_LOGGING: 'ERROR' },
      })
      children.push(child)
      await once(child.stdout, 'data')
      if (!known)
        await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${service}` })
      known = true
      return child
    },
    wake: (id, how) =>
      post(`http://127.0.0.1:${ingress}/invoices/continue${how === 'send' ? '/send' : ''}`, id),
    call: (path, body) => post(`http://127.0.0.1:${ingress}/${path}`, body),
    attach: async (workflow, id) => {
      const url = `http://127.0.0.1:${ingress}/restate/workflow/${workflow}/${id}/attach`
      return (await fetch(url)).json()
    },
    close: async () => {
      for (const child of children.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

/** The service of this example, as Node runs it. */
export const serviceProgram: readonly string[] = [
  ...process.execArgv,
  fileURLToPath(new URL('./service.ts', import.meta.url)),
]
