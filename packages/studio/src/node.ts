export { openFileStore } from './node/file-store.js'
export { type ServedStudio, loadPage, serveStudio } from './node/serve-studio.js'
