import { spawn, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromiumPath, noChromium } from '../../test/support/chromium.ts'
import { runtimePackages } from '../runtime-packages.ts'

const last = (text) => text.trim().split('\n').at(-1)

/**
 * Path of a program that comes from npm into npx's cache, outside this repository; else the reason
 * why it is not available.
 */
export function fetchBinary(name, command) {
  const options = { shell: true, encoding: 'utf8', timeout: 120_000 }
  const { status, stdout, stderr } = spawnSync(
    `npx -y --prefer-offline -p ${runtimePackages[name]} -c "command -v ${command}"`,
    options,
  )
  if (status !== 0)
    return {
      reason: `${runtimePackages[name]} is not available: ${/error code \S+/.exec(stderr)?.[0] ?? last(stderr)}`,
    }
  const path = realpathSync(last(stdout))
  return { binary: name === 'workerd' ? nativeWorkerd(path) : path }
}

/** The package's own program is a script that hands on to the one for this machine. */
function nativeWorkerd(script) {
  const windows = process.platform === 'win32'
  const machine = `${windows ? 'windows' : process.platform}-${process.arch === 'x64' ? '64' : process.arch}`
  return createRequire(script).resolve(
    `@cloudflare/workerd-${machine}/bin/workerd${windows ? '.exe' : ''}`,
  )
}

/** The Chromium of this machine. */
export const findChromium = () =>
  chromiumPath === undefined ? { reason: noChromium } : { binary: chromiumPath }

/**
 * Starts a program in a group of its own.
 * @returns `failure` its end, with what it said; `port` the first one that it writes about on
 * descriptor 3
 */
export function start(binary, args) {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true })
  const failed = Promise.withResolvers()
  const port = Promise.withResolvers()
  let output = ''
  const fail = (why) => failed.resolve({ failure: `${why}\n${output.slice(-4000)}` })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  child.stdio[3].on('data', (chunk) => {
    const found = /"port":(\d+)/.exec(String(chunk))
    if (found) port.resolve(Number(found[1]))
  })
  child.on('error', fail)
  const closed = new Promise((resolve) => child.on('close', resolve))
  // A program that has reported ends a little before its report is here.
  child.on('close', (code) => setTimeout(() => fail(`ended with ${code} before it reported`), 1000))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid)
      process.kill(-child.pid, 'SIGKILL')
    await closed
  }
  return { failure: failed.promise, port: port.promise, fail, stop }
}
