/** Pages that each package carries, by its short name: paths in the repository. */
export declare const carried: Readonly<Record<string, readonly string[]>>
/** Pages that no package carries, with the reason. */
export declare const notCarried: Readonly<Record<string, string>>
