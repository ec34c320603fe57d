// Bundles the page when the server starts.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Serves `/` and `/page.js`; undefined for any other path. */
export async function buildPage(): Promise<(path: string) => Response | undefined> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const script = outputFiles[0]?.text ?? ''
  const html =
    '<!doctype html><title>A chat that survives</title><div id="root"></div><script type="module" src="/page.js"></script>'
  return (path) => {
    if (path === '/')
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    if (path === '/page.js')
      return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    return undefined
  }
}
