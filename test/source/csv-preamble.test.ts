import { describe, expect, it } from 'vitest';
import { all, openOne, placesAreTrue } from './temp-export.ts';

const ROWS = 'id,subject,created\n1,Broken kettle,2024-05-01\n2,"Late, again",2024-05-02\n';

describe('lines above the header', () => {
  const skipped: [title: string, above: string, rows: string, lines: number][] = [
    ['a title and an empty line', 'Report generated 2024-05-06\n\n', ROWS, 2],
    ['a title with a comma, and an empty line', 'Tickets, all\n\n', `a,b,c,d\n${'1,2,3,4\n'.repeat(2)}`, 2],
    ['a title padded with empty cells', 'Tickets of May,,\n', ROWS, 1],
    ['two titles without an empty line', 'Tickets\nMay 2024\n', ROWS, 2],
    ['a quoted title', '"Tickets, all of them"\n', ROWS, 1],
    ['comments', '# made by a program, with commas, in it\n# on a Monday\n', 'id,name\n1,Ann\n', 2],
    ['an empty line, a title, several empty lines', '\nTickets\n\n\n', ROWS, 4],
    ['line ends of Windows', 'Tickets\r\n\r\n', ROWS.replaceAll('\n', '\r\n'), 2],
    ['names with dots', 'Tickets\n', ROWS.replace('created', 'contact.email'), 1],
    ['a title above semicolons', 'Tickets, of May\n', ROWS.replaceAll(',', ';'), 1],
  ];
  it.each(skipped)('%s: are skipped, with a warning', async (_, above, rows, lines) => {
    const whole = await openOne('t.csv', above + rows);
    const alone = await openOne('t.csv', rows);
    expect(whole.outline.header).toEqual(alone.outline.header);
    expect(whole.outline.sampleRows).toEqual(alone.outline.sampleRows);
    expect(whole.delimiter).toBe(alone.delimiter);
    const [records, expected] = [await all(whole), await all(alone)];
    expect(records.map(({ cells }) => cells)).toEqual(expected.map(({ cells }) => cells));
    expect(records.map(({ ref }) => ref.line)).toEqual(expected.map(({ ref }) => ref.line + lines));
    expect(await placesAreTrue(whole, above + rows)).toEqual([]);
    expect(whole.problems).toMatchObject([{ code: 'lines-skipped', severity: 'warning', line: 1 }]);
    expect(alone.problems).toEqual([]);
  });

  it('are not looked for behind a quote that opens for another delimiter alone', async () => {
    const { outline, problems } = await openOne('t.csv', 'id,"\t",subject\n1,"a\t""b",c\n2,d,e\n');
    expect(outline.header).toEqual(['id', '\t', 'subject']);
    expect(problems).toEqual([]);
  });

  it('are named', async () => {
    const { problems } = await openOne('t.csv', `Report generated 2024-05-06\n\n${ROWS}`);
    expect(problems[0]?.message).toMatch(
      /^Lines 1 to 2 of .*t\.csv \("Report generated 2024-05-06"\) preceded the header and were skipped; the header is line 3\.$/,
    );
  });

  it.each([
    ['a usual file', ROWS],
    ['one column of free text with commas', 'message\nHello, world\nBye, now\nOh, well\n'],
    ['one column of free text, an empty line below its header', 'message\n\nHello, world\nBye, now\n'],
    ['an empty line below the header', `${ROWS.replace('\n', '\n\n')}`],
    ['one column', 'subject\nBroken kettle\nLate again\n'],
    ['a header whose first name begins with #', '#,subject\n1,Broken\n'],
    ['a first row of text below one header cell', 'notes\nAnn,Paris,France\n3,4,5,6\n'],
    ['no rows at all', 'Tickets\n\nid,subject\n'],
    ['a title in a cell that goes on', '"Tickets\n\nof May"\nid,subject,created\n1,a,b\n'],
  ])('%s: the first line stays the header', async (_, text) => {
    const { outline, problems } = await openOne('t.csv', text);
    const [first = ''] = text.split('\n');
    if (!first.startsWith('"')) expect(outline.header).toEqual(first.split(','));
    expect(problems.filter(({ code }) => code === 'lines-skipped')).toEqual([]);
  });

  it('a single cell above rows that agree on several, where no header can be made out, is told', async () => {
    const { problems, outline } = await openOne('t.csv', 'Tickets\n1,Broken kettle,12\n2,Late,13\n');
    expect(outline.header).toEqual(['Tickets']);
    expect(problems.filter(({ code }) => code !== 'extra-cells')).toMatchObject([
      { code: 'title-for-header', line: 1 },
    ]);
  });
});
