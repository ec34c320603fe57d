export { storeContract } from './session/store-contract.js'
