// Zero-dependency entry: works with Node >= 20 and npm. Installs, then runs a root script under a supported Node.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const NODE = '24.21.0' // fetched only when the system Node is too old for the development tools
const pnpm = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).packageManager // pnpm@x.y.z
const [major, minor] = process.versions.node.split('.').map(Number)
const supported = (major === 22 && minor >= 18) || (major === 24 && minor >= 11) || major >= 26
const os = process.platform === 'win32' ? 'win' : process.platform
const nodePackage = `${os === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${os}-${process.arch}@${NODE}`
const packages = [...(supported ? [] : [nodePackage]), pnpm].map((name) => `-p ${name}`).join(' ')
const script = process.argv.slice(2).join(' ')
// One npx call: install from the lockfile, then run. `-c` gives a shell with both binaries first on PATH.
const install = 'pnpm install --frozen-lockfile --prefer-offline --reporter=append-only --loglevel=warn'
const command = `npx -y ${packages} -c "${install} && pnpm run ${script}"`
const { status } = spawnSync(command, { stdio: 'inherit', cwd: new URL('..', import.meta.url), shell: true })
process.exit(status ?? 1)
