export type { StoreContractCase } from './session/store-contract.js'
export { storeContract } from './session/store-contract.js'
