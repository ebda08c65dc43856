/** Names of months as exports write them, in English, German, Spanish, French, Italian, Dutch and Portuguese. */

/** One line a month; accents and dots are taken off before comparing. */
const NAMES = [
  'january januar enero janvier gennaio januari janeiro jan ene janv gen',
  'february februar febrero fevrier febbraio februari fevereiro feb fev fevr febr',
  'march marz maerz marzo mars maart marco mar mrz mrt',
  'april abril avril aprile apr abr avr',
  'may mai mayo maggio mei maio mag',
  'june juni junio juin giugno junho jun giu',
  'july juli julio juillet luglio julho jul juil lug',
  'august agosto aout augustus aug ago aou',
  'september septiembre septembre settembre setembro sep sept set setiembre',
  'october oktober octubre octobre ottobre outubro oct okt ott out',
  'november noviembre novembre novembro nov',
  'december dezember diciembre decembre dicembre dezembro dec dez dic',
] as const;

const MONTHS = new Map(
  NAMES.flatMap((line, index) => line.split(' ').map((name) => [name, index + 1] as const)),
);

/** 1 to 12, or undefined for a word that names no month. */
export function monthNumber(word: string): number | undefined {
  return MONTHS.get(
    word
      .normalize('NFD')
      .replace(/[\u0300-\u036f.]/g, '')
      .toLowerCase(),
  );
}
