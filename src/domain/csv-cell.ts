/** One cell as CSV has it: in quotes where it would be read as something else. */
export function csvCell(text: string, delimiter = ','): string {
  if (!text.includes(delimiter) && !/["\r\n]|^\s|\s$/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}
