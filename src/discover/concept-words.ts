/**
 * What columns are called in English, Spanish, German, French and Portuguese (and some in Italian and Dutch), without
 * accents, in small letters. The number says how surely the word means the concept: 1 always, 0.3 if nothing better is there.
 */
const CONCEPTS = [
  'subject',
  'body',
  'answer',
  'status',
  'priority',
  'tags',
  'createdAt',
  'updatedAt',
  'resolvedAt',
  'closedAt',
  'sentAt',
  'role',
  'internal',
  'attachment',
] as const;
export type Concept = (typeof CONCEPTS)[number];

type Words = Readonly<Record<string, number>>;

/** `subject:1 title:.9` as a table. */
const table = (text: string): Words =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((entry) => {
        const [word = '', weight = '1'] = entry.split(':');
        return [word, Number(weight)];
      }),
  );

const CREATED = `created creation create:.9 opened:.9 open:.5 submitted:.8 reported:.6 received:.7 raised:.9 logged:.7 started:.5 start:.4
  creado creada creacion abierto:.8 abierta:.8 apertura:.9 alta:.5
  erstellt erstellung erstellungs:.9 erstell:.9 angelegt:.9 eroffnet:.9 eroffnung:.9 eingang:.6 eingegangen:.7
  cree creee ouvert:.8 ouverture:.9
  criado criada criacao aberto:.8 aberta:.8 abertura:.9
  creato aperto:.8 aangemaakt geopend:.9 utworzenia utworzono:.9 zgloszono:.8 skapad skapat oppnad:.8 olusturulma olusturma
  oprettet opprettet vytvoreno zalozeno:.9 luotu avattu:.8`;

export const CONCEPT_WORDS: Readonly<Record<Concept, Words>> = {
  subject:
    table(`subject title:.95 summary:.9 topic:.7 headline:.8 complaint:.5 issue:.45 problem:.4 descriptor:.3 reason:.3 name:.2
    asunto titulo:.95 tema:.7 resumen:.8 motivo:.4
    betreff titel:.95 thema:.7 kurzbeschreibung zusammenfassung:.8
    objet sujet titre:.95 resume:.7
    temat tytul:.95 amne rubrik:.9 konu baslik:.9 emne predmet aihe otsikko:.9
    assunto resumo:.8 oggetto titolo:.95 onderwerp`),
  body: table(`body content message text:.95 description:.9 comment:.9 comments:.7 note:.6 notes:.5 question:.8 detail:.6 details:.7 transcript:.7 utterance:.9 post:.5 html:.6
    descripcion:.9 mensaje contenido texto:.95 comentario:.9 cuerpo detalle:.7
    beschreibung:.9 nachricht inhalt kommentar:.9 nachrichtentext notiz:.6
    contenu texte:.95 commentaire:.9 corps echange:.8 echanges:.7 propos:.6
    besked:.9 beskrivelse:.9 indhold innhold popis:.9 zprava obsah komentar:.9 kuvaus:.9 viesti sisalto
    tresc opis:.9 wiadomosc komentarz:.9 beskrivning:.9 meddelande kommentarer:.7 aciklama:.9 mesaj
    descricao:.9 mensagem conteudo corpo detalhes:.7
    descrizione:.9 messaggio testo:.95 bericht inhoud omschrijving:.9`),
  answer: table(`resolution:.9 answer reply:.9 response:.8 solution:.9 tech:.3 agent:.3
    respuesta solucion:.9 resolucion:.9 antwort losung:.9 reponse resposta solucao:.9 resolucao:.9 risposta soluzione:.9
    odpowiedz rozwiazanie:.9 svar losning:.9 antwoord oplossing:.9 yanit cozum:.9`),
  status: table(
    `status state:.9 stage:.5 phase:.4 estado situacion:.9 zustand bearbeitungsstand statut etat:.9 situacao:.9 stato stan:.9 tillstand:.8 durum stav tila:.9`,
  ),
  priority: table(`priority prio severity:.8 urgency:.7 importance:.7
    prioridad gravedad:.8 urgencia:.7 prioritat prioritaet dringlichkeit:.8 schweregrad:.8
    priorite gravite:.8 urgence:.7 prioridade gravidade:.8 priorita prioriteit priorytet prioritet oncelik prioriteetti`),
  tags: table(`tag tags label:.9 labels:.9 keyword:.7 keywords:.7 etiqueta etiquetas schlagwort schlagworte schlagworter stichworte:.8
    etiquette etiquettes marcador:.9 marcadores:.9 etichetta etichette etykieta etykiety tagi taggar etiketler mærker mærkater merkelapper etiketter:.9 stitky stitek tunnisteet:.9 emneord:.7`),
  createdAt: table(`${CREATED} date:.35 datum:.35 fecha:.35 data:.3 timestamp:.4 time:.3 datetime:.4`),
  updatedAt:
    table(`updated update:.9 modified changed:.9 touched:.8 edited:.8 actualizado actualizacion modificado modificacion aktualisiert aktualisierung geandert
    anderung:.9 modifie modification miseajour atualizado atualizacao aggiornato gewijzigd modifica modificato aktualizacji zmieniono uppdaterad andrad guncelleme guncellenme
    opdateret oppdatert ændret endret aktualizovano upraveno zmeneno paivitetty muokattu`),
  resolvedAt:
    table(`resolved resolution:.9 solved fixed:.7 gelost losung:.8 erledigt:.9 resuelto resolucion:.9 solucionado solucion:.8 resolu
    resolvido resolucao:.9 solucao:.8 risolto opgelost vyreseno ratkaistu`),
  closedAt: table(`closed close:.8 closing:.8 closure:.9 ended:.6 end:.5 finished:.7 completed:.6
    cerrado cerrada cierre geschlossen abgeschlossen schliessung:.9 ende:.5
    ferme fermeture cloture clos fechado fechamento encerrado encerramento chiuso chiusura gesloten zamkniecia zamknieto stangd avslutad:.9 kapanis kapatilma lukket uzavreno ukonceno:.8 suljettu`),
  sentAt: table(`sent send posted:.9 occurred ts:.8 timestamp:.9 datetime:.9 date:.8 time:.7 when:.6
    enviado envio:.9 fecha:.8 hora:.6 gesendet datum:.8 zeit:.7 zeitpunkt:.8 uhrzeit:.6 envoye envoi:.9 data:.7 inviato verzonden wyslania wyslano skickad gonderim sendt odeslano lahetetty
    written:.9 geschrieben:.9 escrito:.9 ecrit:.9
    ${CREATED.replaceAll(/(\w+)(?::\.\d+)?/g, '$1:.75')}`),
  role: table(`role type:.5 kind:.4 direction:.9 speaker incoming:.9 inbound:.9 outgoing:.9 outbound:.9 sender:.4 actor:.5 author:.4 staff:.7 agent:.5 side:.6
    rol rolle papel:.8 tipo:.5 typ:.5 art:.3 richtung:.9 direccion:.8 direcao:.8 ruolo rola roll kierunek:.8 riktning:.8 retning:.8 smer:.8 rooli suunta:.8`),
  internal:
    table(`restricted:.8 confidential:.8 hidden:.7 vertraulich:.8 internal private public visible:.8 visibility interno interna privado privada publico publica intern offentlich sichtbarkeit
    interne prive public visibilite privato pubblico prywatna prywatny publiczna publiczny widocznosc openbaar zichtbaarheid offentlig synlighet gizli gorunurluk visibilita
    visibilidad visibilidade synlighed interni soukrome soukroma verejne verejna viditelnost sisainen julkinen nakyvyys`),
  attachment:
    table(`attachment attachments file:.7 files:.7 document:.6 adjunto adjuntos archivo:.7 anhang anhange datei:.7 dateien:.7
    piece:.4 jointe fichier:.7 anexo anexos arquivo:.7 allegato bijlage zalacznik zalaczniki bilaga bilagor vedhæftning vedhæftninger vedlegg priloha prilohy liite liitteet`),
};

/** Words that say that a column is about something else. */
export const CONTRARY_WORDS: Readonly<Partial<Record<Concept, readonly string[]>>> = {
  subject: ['id', 'count', 'raw', 'area'],
  body: [
    'id',
    'count',
    'type',
    'format',
    'preview',
    'snippet',
    'stripped',
    'short',
    'delexed',
    'length',
    'url',
    'internal',
    'raw',
    'excerpt',
    'survey',
    'satisfaction',
    'rating',
    'csat',
    'nps',
    'review',
    'encuesta',
    'pesquisa',
    'umfrage',
    'bewertung',
    'enquete',
  ],
  answer: ['id', 'count', 'type', 'code', 'time', 'date', 'name', 'rating'],
  status: [
    'kanban',
    'id',
    'code',
    'category',
    'http',
    'user',
    'sla',
    'address',
    'custom',
    'project',
    'projekt',
    'proyecto',
    'projet',
    'projeto',
    'order',
    'payment',
    'shipping',
    'account',
    'sync',
  ],
  priority: ['id', 'confirmed', 'icon', 'score'],
  tags: ['id', 'count'],
  createdAt: [
    'first',
    'due',
    'sla',
    'next',
    'reply',
    'response',
    'last',
    'purchase',
    'birth',
    'user',
    'until',
    'wait',
  ],
  updatedAt: ['due', 'sla', 'count'],
  resolvedAt: ['due', 'sla', 'first', 'by', 'count', 'updated', 'action'],
  closedAt: ['due', 'sla', 'by', 'count'],
  sentAt: ['due', 'sla', 'first', 'updated', 'modified', 'read'],
  attachment: ['count', 'id'],
};

export const PERSON_WORDS = {
  requester:
    table(`requester requestor requested:.9 customer client reporter:.9 caller:.9 partner:.7 contact:.8 buyer:.8 submitter:.6 enduser:.9 visitor:.8 consumer:.9 patient:.7 user:.5 creator:.4 guest:.6 opened:.3
    cliente solicitante contacto:.8 usuario:.5 remitente:.6
    kunde kunden melder:.9 antragsteller anforderer anfragender:.9 anfragenden:.9 anfragende:.9 kontakt:.8 benutzer:.5 nutzer:.5 absender:.6
    demandeur utilisateur:.5 requerente contato:.8 consumidor:.9 richiedente klant aanvrager zglaszajacy klient anmalare kund musteri
    rekvirent anmoder innmelder:.9 zadatel zakaznik pyytaja asiakas`),
  assignee:
    table(`assignee assigned handled:.9 handles:.9 served:.8 processed:.7 behandelaar assegnatario agent:.9 responder:.9 owner:.7 technician:.8 handler:.8 responsible:.9 operator:.6 staff:.5
    asignado agente:.9 responsable:.9 tecnico:.7 zugewiesen zugewiesener zugewiesene zustandig zustandiger bearbeiter verantwortlich:.9 verantwortlicher:.9
    assigne attribue:.9 intervenant:.8 technicien:.8 technicienne:.8 conseiller:.7 gestionnaire:.6 atribuido responsavel:.9 designado:.9 assegnato operatore:.8 toegewezen przypisany handlaggare sorumlu
    ansvarlig:.9 sagsbehandler saksbehandler behandler:.9 tildelt resitel prirazeno kasittelija vastuuhenkilo:.9`),
  author:
    table(`author sender from:.9 speaker:.7 commenter user:.7 creator:.8 actor:.8 writer:.9 created:.4 by:.5 von:.4 por:.4 par:.4 door:.4 handle:.5 nick:.7 who:.6 agent:.4 customer:.4 client:.4
    editor:.6 autor remitente usuario:.6 verfasser absender benutzer:.6 auteur expediteur utilisateur:.6 remetente mittente afzender nadawca avsandare gonderen afsender avsender forfatter odesilatel lahettaja`),
} as const;
export type PersonConcept = keyof typeof PERSON_WORDS;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const EMAIL_WORDS = words('email mail emailaddress correo courriel sahkoposti');
export const NAME_WORDS = words(
  'name fullname displayname full display nombre nom nome login username vorname nachname navn jmeno nimi',
);
export const ID_WORDS = words(
  'id ids key number no nr num numero nummer codigo code uuid guid uid identifier kennung folio ref reference protocolo sysid numer codice nummer nr nro numeral oid sk pk fk cislo tunnus',
);
/** Things that are imported as tickets. */
export const TICKET_WORDS =
  words(`ticket case issue incident request conversation thread dialogue dialog convo conv chat session inquiry enquiry complaint task
  caso incidencia incidente solicitud consulta conversacion vorgang anfrage fall storung gesprach demande cas requete
  chamado pedido atendimento conversa ocorrencia richiesta melding zgloszenie zgloszenia zgloszen arende arenden talep segnalazione segnalazioni richieste meldingen vorgange anfragen falle demandes tickety tickets
  sag sags sager sak saks saker henvendelse henvendelser pozadavek pozadavku pozadavky tiket tikety tiketti tiketit palvelupyynto`);
export const MESSAGE_WORDS =
  words(`message comment reply note post response entry mail communication engagement utterance turn transcript
  mensaje comentario respuesta nachricht nachrichten kommentar kommentare antwort antworten commentaire mensagem mensagen messaggio messaggi commento commenti bericht berichten wiadomosc wiadomosci meddelande meddelanden besked beskeder kommentarer zprava zpravy viesti viestit`);
export const PEOPLE_WORDS =
  words(`user contact agent customer client person people member owner staff employee requester account
  usuario cliente agente contacto benutzer kunde mitarbeiter utilisateur contato persona utente utenti clienti operatori klant klanten medewerker medewerkers gebruiker pracownik pracownicy kunden mitarbeitende
  bruger brugere kunder medarbejder medarbejdere uzivatel uzivatele zakaznici kayttaja kayttajat asiakkaat`);
/** Things that stand beside tickets and are none. */
export const BESIDE_WORDS =
  words(`history log event metric tag label field audit sla stage pipeline link type category project group organization
  company choice status priority resolution option rating satisfaction product watcher attachment changelog form macro view brand`);
/** Parts of names that say nothing about what is in a column. */
export const NEUTRAL_WORDS =
  words(`ticket case the a of de der die das du la le el do da dos das del dell des di van values text field fields property properties attribute attributes
  data at on is hs sys cf custom datetime date time datum fecha data record plain html u`);

// Names of columns, files and lists as words: `requesterId`, `Requester-ID` and `requester_id` are the same.

/** `vorgangsnummer`, `kundenname`, `username`: the last part says what kind of value it is. */
const COMPOUND = /(\p{L}{4,40}?)s?(nummer|datum|name|text)\b/gu;

/** What scripts and databases shorten. */
const SHORT: ReadonlyMap<string, string> = new Map(
  `tkt=ticket tkts=tickets tick=ticket cs=case msg=message msgs=messages subj=subject sbj=subject descr=description desc=description dsc=description
   resol=resolution reso=resolution stat=status sts=status st=status prio=priority pri=priority tgs=tags lbl=label lbls=labels crt=created crtd=created cre=created
   opn=opened upd=updated updt=updated mod=modified cls=closed clsd=closed rslv=resolved dt=date ts=timestamp tm=time req=requester rqst=requester
   reqstr=requester asgn=assignee asgnd=assigned assgn=assignee txt=text bdy=body cont=content cust=customer custs=customers cst=customer cli=client agt=agent agts=agents ag=agent
   snt=sent snd=sender sndr=sender auth=author athr=author usr=user usrs=users nm=name fnm=firstname eml=email ml=mail lgn=login knd=kind typ=type pub=public priv=private
   intern=internal int=internal vis=visibility att=attachment atts=attachments attch=attachment fdbk=feedback mgr=manager acct=account flg=flag
   inb=inbound outb=outbound dir=direction spk=speaker spkr=speaker cmt=comment cmts=comments cmnt=comment sc=score prj=project`
    .split(/\s+/)
    .map((entry) => entry.split('=') as [string, string]),
);

/** Beyond so many characters a name says nothing more. */
const LONGEST_NAME = 300;

/** `stage_id/name`: a field of the record that an id stands for. */
const FIELD_OF = /[_. ]?id\/(\w+)$/i;

/** Small letters without accents, one word for each part of the name. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, LONGEST_NAME)
    .replace(FIELD_OF, ' $1')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .replace(/ı/g, 'i')
    .replace(/\bn\.?\s?[º°]/g, 'numero')
    .replace(COMPOUND, '$1 $2')
    .replace(
      /\b(ticket|case|issue|user|customer|client|agent|message|conversation|thread|dialog|chat|contact|request|incident)(id|nr)\b/g,
      '$1 $2',
    )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => SHORT.get(word) ?? word);
}

/**
 * The parts of a path into JSON, outermost first. A header with blanks in it, or with a dot at its end, is one name:
 * `Ticket No.`, `N.º de caso`.
 */
export function pathParts(path: string): string[] {
  return /\s|^\.|\.$/.test(path) ? [path] : path.split('.');
}

/** `users` → `user`, `categories` → `category`; of words that are no plural the word itself. */
export function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ses|xes|ches|shes)$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** Words of file names that say nothing about what is in the file. */
const NOISE: ReadonlySet<string> = new Set(
  `data export dump table all list api sample dev csv json support en de es fr pt example full result item record db v1 v2 v3 page
   fivetran airbyte`.split(/\s+/),
);

/** The telling words of a file's own name, without folders and endings; of a list, those of its last part. */
export function tableWords(table: {
  readonly file: string;
  readonly collection: {
    readonly path: readonly string[] | undefined;
    readonly stream: string | undefined;
    readonly kind?: { readonly name: string };
  };
}): string[] {
  const { path, kind } = table.collection;
  const stream = table.collection.stream ?? kind?.name;
  const base = table.file.replace(/^.*[\\/!]/, '').replace(/(?:\.[A-Za-z]{2,6}){1,2}$/, '');
  const telling = (text: string) =>
    wordsOf(text)
      .map(singular)
      .filter((word) => !NOISE.has(word) && !/^\d+$/.test(word));
  if (stream !== undefined) return telling(stream);
  // a list called `items` is what it stands in, and one called `data` or `results` what its file is called
  const names = [...(path ?? []).toReversed(), base].map(telling);
  return names.find((words) => words.length > 0) ?? [];
}

/** Whether a name has a word that is known here; `id` and `name` say little inside of something unknown. */
export function isTellingName(path: string): boolean {
  known ??= new Set([
    ...[...Object.values(CONCEPT_WORDS), ...Object.values(PERSON_WORDS)].flatMap((words) =>
      Object.keys(words),
    ),
    ...[TICKET_WORDS, MESSAGE_WORDS, PEOPLE_WORDS, BESIDE_WORDS].flatMap((words) => [...words]),
  ]);
  const [last = '', ...outer] = pathParts(path).toReversed();
  const has = (part: string, words: ReadonlySet<string>) =>
    wordsOf(part).some((word) => words.has(word) || words.has(singular(word)));
  if (!ASPECTS.some((words) => has(last, words))) return has(last, known);
  return (
    outer.length === 0 || [last, ...outer].some((part) => has(part.replaceAll('[]', ''), known ?? ID_WORDS))
  );
}

const INTERNAL = /^(?:intern(?:al|e|o|a|es|en)?|private?|privado|privee?)$/;

/** Whether words say that what they name is for the team only: `internal_notes`. */
export function isInternalName(words: readonly string[]): boolean {
  return words.some((word) => INTERNAL.test(word));
}

/** Things that help desks keep and that no ticket of the API has a field for. */
const OTHER_WORDS =
  words(`due sla score rating satisfaction csat nps survey feedback manager mgr parent order phone minute minutes second seconds duration count reopens reopened organization organisation
  company account project sla channel language locale version revision url link via source product category group brand updated modified changed touched edited due deadline
  first last previous prior former preview snippet vip has escalated flag cc watcher watchers follower followers telefon firma sprache kanal kategorie
  bewertung ruckmeldung betreuer kundenbetreuer gestor gerente gestionnaire referente opiekun avis riscontro opinion opinia omdome vencimiento vencimento echeance scadenza termin
  puntuacion valutazione beoordeling projekt projektstatus proyecto projet projeto progetto vervaldatum`);

/** Whether a name says that the column is about something that is not imported. */
export function isOtherName(path: string): boolean {
  return wordsOf(path).some((word) => OTHER_WORDS.has(word) || OTHER_WORDS.has(singular(word)));
}

const ASPECTS = [ID_WORDS, NAME_WORDS, EMAIL_WORDS];
let known: ReadonlySet<string> | undefined;
