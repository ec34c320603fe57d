// A registry on this machine: it serves the packed packages, and all others from what pnpm has
// installed. A name that neither has is passed on to the registry that npm is configured for.
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { root } from '../workspaces.ts'

const store = join(root, 'node_modules/.pnpm')

/** Folders of the versions that pnpm has of a package. */
function versionsOf(name, folders) {
  const prefix = `${name.replace('/', '+')}@`
  const found = new Map()
  for (const folder of folders.filter((one) => one.startsWith(prefix))) {
    const dir = join(store, folder, 'node_modules', name)
    const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    found.set(manifest.version, { manifest, dir: realpathSync(dir) })
  }
  return found
}

/** What npm asks for first: the manifests of all versions, with the addresses of their tarballs. */
function toPackument(name, versions, url) {
  const list = [...versions.values()].map(({ manifest }) => manifest)
  const latest = list
    .map(({ version }) => version)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
  return {
    name,
    'dist-tags': { latest },
    versions: Object.fromEntries(
      list.map((manifest) => [
        manifest.version,
        // Published manifests have no scripts of their author's workshop; installing runs none of
        // ours.
        {
          ...manifest,
          dist: { tarball: `${url}/-/tarball/${encodeURIComponent(name)}/${manifest.version}` },
        },
      ]),
    ),
  }
}

/**
 * @param packed short name → `{ manifest, file }` of each tarball
 * @param isPublished false: the registry has no package of ours, as npm has none
 */
export async function startRegistry(packed, isPublished) {
  const folders = readdirSync(store)
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
    .trim()
    .replace(/\/$/, '')
  const passedOn = new Set()
  const known = new Map()
  for (const { manifest, file } of packed.values()) {
    const versions = isPublished ? [[manifest.version, { manifest, file }]] : []
    known.set(manifest.name, new Map(versions))
  }
  const find = (name) => {
    if (!known.has(name)) known.set(name, versionsOf(name, folders))
    return known.get(name)
  }

  async function answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, 'http://registry').pathname).slice(1)
    const [, name, version] = /^-\/tarball\/(.+)\/([^/]+)$/.exec(path) ?? [undefined, path]
    const versions = find(name)
    const one = versions.get(version)
    if (one?.file) return void response.end(readFileSync(one.file))
    if (one) {
      // npm takes a tarball without compression too, and whatever its first folder is called. pnpm
      // links equal files: npm drops links.
      const tar = spawn('tar', [
        '-c',
        '--hard-dereference',
        '--exclude',
        'node_modules',
        '-C',
        dirname(one.dir),
        basename(one.dir),
      ])
      return pipeline(tar.stdout, response)
    }
    if (versions.size > 0) {
      response.setHeader('content-type', 'application/json')
      return void response.end(JSON.stringify(toPackument(name, versions, url)))
    }
    if (path.startsWith('@modelport/')) return void response.writeHead(404).end('not published')
    passedOn.add(path)
    response.writeHead(302, { location: `${upstream}/${path.replace('/', '%2f')}` }).end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(error.message))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return { url, passedOn, close: () => server.close() }
}
