// Zero-dependency entry: works with Node >= 20 and npm. Installs, then runs a program of
// `programs.mjs` or another root script, with its arguments, under a supported Node.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { programs } from './programs.mjs'

const NODE = '24.21.0' // fetched only when the system Node is too old for the development tools
const pnpm = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).packageManager // pnpm@x.y.z
const [major, minor] = process.versions.node.split('.').map(Number)
const supported = (major === 22 && minor >= 18) || (major === 24 && minor >= 11) || major >= 26
const os = process.platform === 'win32' ? 'win' : process.platform
const nodePackage = `${os === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${os}-${process.arch}@${NODE}`
const packages = [...(supported ? [] : [nodePackage]), pnpm].flatMap((name) => ['-p', name])
const isWindows = process.platform === 'win32'
const quoted = (text) =>
  /^[\w./:=-]+$/.test(text)
    ? text
    : isWindows
      ? `\\"${text}\\"`
      : `'${text.replaceAll("'", `'\\''`)}'`
const [name, ...words] = process.argv.slice(2)
const program = [programs[name] ?? `pnpm run ${name}`, ...words.map(quoted)].join(' ')
// One npx call: install from the lockfile, then run. `-c` gives a shell with both binaries first on
// PATH.
const install =
  'pnpm install --frozen-lockfile --prefer-offline --reporter=append-only --loglevel=warn'
const command = `${install} && ${program}`
const args = ['-y', ...packages, '-c', isWindows ? `"${command}"` : command]
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  cwd: new URL('..', import.meta.url),
  shell: isWindows,
})
process.exit(status ?? 1)
