import type { ComponentChildren, VNode } from 'preact'

/**
 * Titles of the columns of a table; those of numbers are aligned as these are. `isSorted`: the rows
 * begin with the most of this column.
 */
export type Columns = readonly (readonly [
  title: ComponentChildren,
  isNumber?: boolean,
  isSorted?: boolean,
])[]

/** The first row of a table. */
export const TableHead = ({ columns }: { readonly columns: Columns }): VNode => (
  <thead>
    <tr>
      {columns.map(([title, isNumber, isSorted], index) => (
        <th
          key={index}
          scope="col"
          class={isNumber ? 'number' : ''}
          aria-sort={isSorted ? 'descending' : undefined}
        >
          {title}
        </th>
      ))}
    </tr>
  </thead>
)
