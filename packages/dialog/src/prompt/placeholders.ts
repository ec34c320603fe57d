/** What a placeholder may be filled with. */
export type TemplateValue = string | number | boolean

/** Values by the name of their placeholder. */
export type TemplateValues = Readonly<Record<string, TemplateValue>>

/** The names in single braces of a text; `{{` and `}}` stand for braces. */
export type PlaceholderNames<
  Text extends string,
  Found = never,
> = Text extends `${string}{${infer Rest}`
  ? Rest extends `{${infer After}`
    ? PlaceholderNames<After, Found>
    : Rest extends `${infer Name}}${infer After}`
      ? PlaceholderNames<After, Found | Name>
      : Found
  : Found

/** The arguments of a template: derived from its text if the compiler knows it, else any values. */
export type TemplateArgs<Text extends string> = string extends Text
  ? TemplateValues
  : // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a text may have no placeholder
    Readonly<Record<PlaceholderNames<Text>, TemplateValue>>

/** The arguments of a call that takes `Args`: they may be left out when none is required. */
export type ArgsParameter<Args> = Partial<Args> extends Args ? [args?: Args] : [args: Args]
