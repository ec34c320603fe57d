// pnpm replaces the versions of neighbours in the order in which it has read them, which differs
// from one packing to the next.
const sorted = (dependencies) => Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)))

module.exports = {
  hooks: {
    beforePacking: (manifest) => {
      for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'])
        if (manifest[field]) manifest[field] = sorted(manifest[field])
      return manifest
    },
  },
}
