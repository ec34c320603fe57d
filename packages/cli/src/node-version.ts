/**
 * What is wrong with a version of Node, or undefined. This file imports nothing, so that it loads
 * on any version.
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return undefined
  return `modelport needs Node 22.19 or newer, and this is ${version}; install a newer one`
}
