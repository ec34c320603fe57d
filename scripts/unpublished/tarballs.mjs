// What an `npm install` line becomes while the packages are not on npm: each package of ours is the
// tarball of it and of what it needs of ours. npm finds these for each other when one command
// names them all.

const scope = '@modelport/'

const needed = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => !peerDependenciesMeta?.[name]?.optional,
  )
  return [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(optionalDependencies ?? {}),
    ...peers,
  ].filter((name) => name.startsWith(scope))
}

/** The packages of ours that come with these, themselves included, each once. */
export function withDependencies(names, packages) {
  const found = new Map()
  const add = (name) => {
    if (found.has(name)) return
    const one = packages.find((candidate) => candidate.name === name)
    if (!one) {
      const all = packages.map((candidate) => candidate.name).join(', ')
      throw new Error(`there is no package ${name}; the packages are ${all}`)
    }
    found.set(name, one)
    for (const dependency of needed(one.manifest)) add(dependency)
  }
  for (const name of names) add(name)
  return [...found.values()]
}

/** The packages of ours among the words of an `npm install` line. */
export const oursOf = (words) => words.filter((word) => word.startsWith(scope))

const quoted = (path) => (/^[\w./:\\@+=-]+$/.test(path) ? path : JSON.stringify(path))

/**
 * @param words what follows `npm install`: packages of ours, those of others, and options
 * @param packages the packages of the repository
 * @param fileOf gives the tarball of a package
 */
export function installLine(words, packages, fileOf) {
  const files = withDependencies(oursOf(words), packages).map((one) => quoted(fileOf(one)))
  const others = words.filter((word) => !word.startsWith(scope))
  return ['npm install', ...others.filter(isOption), ...files, ...others.filter(isName)].join(' ')
}

const isOption = (word) => word.startsWith('-')
const isName = (word) => !isOption(word)
