/** Fields of a configuration whose names in a file differ. */
const names =
  /\b(apiKeyEnv|baseUrlEnv|baseUrl|useEnvironmentBaseUrls|proxyEnv|cheapestModel|enforceHosts|apiVersion|applicationDefault)\b/g

/** A message with the names that a user types in a file: `apiKeyEnv` becomes `api_key_env`. */
export const toFileNames = (message: string): string =>
  message
    .replace(/ \(in a file: [a-z_]+\)/g, '')
    .replace(names, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
