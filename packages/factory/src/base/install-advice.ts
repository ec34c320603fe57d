import { isPublished } from './published.js'

/**
 * What to run so that a package is installed, for the end of a message. Before the packages of this
 * repository are on npm, they are packed in a clone of it.
 * @experimental
 */
export const installAdvice = (name: string, published: boolean = isPublished): string =>
  published || !name.startsWith('@modelport/')
    ? `run: npm i ${name}`
    : `it is not on npm yet: "npm run pack -- ${name}" in a clone of https://github.com/modelport/modelport prints the command to run`
