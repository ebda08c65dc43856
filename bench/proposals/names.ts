/** What columns are called: by synonym, language, short, with a vendor's prefix, and by nothing at all. */
import type { Choices } from './choices.ts';

const CONCEPTS =
  'ticketId subject description answer status priority tags createdAt updatedAt closedAt requester assignee tickets messages messageId ticketRef body customerText agentText sentAt author role incoming fromAgent direction initial private public kind visibility attachment users agents customers name email login score manager feedback project due changedBy comments first last calls audits watchers'.split(
    ' ',
  );
export type Concept = string;

const table = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((word, at) => [CONCEPTS[at] ?? '', word]),
  );

const DICTIONARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain:
    table(`id subject description resolution status priority tags created_at updated_at closed_at requester assignee tickets messages id ticket_id body customer_message agent_reply
    created_at author author_type incoming from_agent direction who private is_public type visibility attachment_url users agents customers name email login satisfaction_score account_manager
    survey_comment project_status due_at updated_by comments first_name last_name calls audits cc_emails`),
  synonyms:
    table(`case_number title details answer state urgency labels opened modified resolved customer owner cases replies reply_no case_number content question response
    posted sender sender_role inbound from_staff way speaker internal public reply_kind audience file people staff clients full_name mail username rating key_account
    feedback phase deadline changed_by notes`),
  camel:
    table(`ticketId ticketSubject ticketDescription resolutionText ticketStatus ticketPriority tagNames createdDate lastModifiedDate closedDate requestedBy assignedTo ticketList conversationEntries entryId ticketId
    messageBody clientText agentText sentDate sentBy senderType isIncoming isAgent messageDirection senderInitial isPrivate isPublic entryType entryVisibility fileUrl userList agentList customerList displayName emailAddress userName
    csatScore relationshipManager customerFeedback projectState dueDate modifiedBy allComments`),
  german:
    table(`Ticketnummer Betreff Beschreibung Antwort Status Priorität Schlagworte Erstellt_am Geändert_am Geschlossen_am Kunde Bearbeiter Tickets Nachrichten Nachrichtnummer Ticketnummer Text Kundentext Antworttext
    Datum Absender Rolle Eingehend Von_Mitarbeiter Richtung Kürzel Intern Öffentlich Art Sichtbarkeit Anhang Benutzer Mitarbeiter Kunden Name E-Mail Benutzername Bewertung Kundenbetreuer
    Rückmeldung Projektstatus Fällig_am Geändert_von Kommentare`),
  spanish:
    table(`ID_del_ticket Asunto Descripción Respuesta Estado Prioridad Etiquetas Fecha_de_creación Fecha_de_actualización Fecha_de_cierre Solicitante Agente Tickets Mensajes ID_del_mensaje ID_del_ticket Mensaje Texto_del_cliente Texto_del_agente
    Fecha Remitente Tipo_de_remitente Entrante De_agente Dirección Inicial Interno Público Tipo Visibilidad Adjunto Usuarios Agentes Clientes Nombre Correo Usuario Puntuación Gestor_de_cuenta
    Opinión Estado_del_proyecto Vencimiento Modificado_por Comentarios`),
  portuguese:
    table(`Número_do_chamado Assunto Descrição Resposta Situação Prioridade Marcadores Criado_em Atualizado_em Fechado_em Cliente Responsável Chamados Mensagens Número_da_mensagem Número_do_chamado Mensagem Texto_do_cliente Texto_do_agente
    Enviado_em Remetente Papel Entrada De_agente Direção Inicial Interno Público Tipo Visibilidade Anexo Usuários Agentes Clientes Nome E-mail Usuário Nota Gerente_da_conta
    Comentário_da_pesquisa Situação_do_projeto Vencimento Alterado_por Comentários`),
  french:
    table(`Numéro_du_ticket Objet Description Réponse Statut Priorité Étiquettes Créé_le Modifié_le Fermé_le Demandeur Intervenant Tickets Messages Numéro_du_message Numéro_du_ticket Contenu Texte_du_client Texte_de_l_agent
    Envoyé_le Expéditeur Rôle Entrant De_l_agent Sens Initiale Privé Public Type Visibilité Pièce_jointe Utilisateurs Agents Clients Nom Courriel Identifiant Note Gestionnaire
    Avis Statut_du_projet Échéance Modifié_par Commentaires`),
  abbreviated:
    table(`tkt_no subj descr resol stat prio tgs crt_dt upd_dt cls_dt req asgn tkts msgs msg_no tkt_no txt cust_txt agt_txt
    snt_dt auth role inb agt_flg dir spk intern pub knd vis att usrs agts custs nm eml lgn sc acct_mgr
    fdbk prj_stat due_dt upd_by cmts`),
  italian:
    table(`Numero_richiesta Oggetto Descrizione Soluzione Stato Priorità Etichette Data_apertura Ultima_modifica Data_chiusura Richiedente Assegnatario Richieste Messaggi Numero_messaggio Numero_richiesta Testo Testo_cliente Testo_operatore
    Inviato_il Mittente Ruolo In_entrata Da_operatore Direzione Sigla Privato Pubblico Tipo Visibilità Allegato Utenti Operatori Clienti Nome Email Utente Valutazione Referente
    Riscontro Stato_progetto Scadenza Modificato_da Commenti`),
  dutch:
    table(`Meldingnummer Onderwerp Omschrijving Oplossing Status Prioriteit Labels Aangemaakt_op Gewijzigd_op Gesloten_op Aanvrager Behandelaar Meldingen Berichten Berichtnummer Meldingnummer Bericht Klanttekst Medewerkertekst
    Verzonden_op Afzender Rol Inkomend Van_medewerker Richting Initiaal Intern Openbaar Soort Zichtbaarheid Bijlage Gebruikers Medewerkers Klanten Naam E-mail Gebruikersnaam Beoordeling Accountmanager
    Enquête Projectstatus Vervaldatum Gewijzigd_door Opmerkingen`),
  polish:
    table(`Numer_zgłoszenia Temat Opis Odpowiedź Status Priorytet Etykiety Data_utworzenia Data_aktualizacji Data_zamknięcia Zgłaszający Przypisany Zgłoszenia Wiadomości Numer_wiadomości Numer_zgłoszenia Treść Tekst_klienta Tekst_agenta
    Data_wysłania Nadawca Rola Przychodząca Od_agenta Kierunek Inicjał Prywatna Publiczna Rodzaj Widoczność Załącznik Użytkownicy Agenci Klienci Nazwa E-mail Login Ocena Opiekun_klienta
    Opinia_ankieta Status_projektu Termin Zmienione_przez Komentarze`),
  swedish:
    table(`Ärendenummer Ämne Beskrivning Svar Status Prioritet Taggar Skapad Uppdaterad Stängd Anmälare Handläggare Ärenden Meddelanden Meddelandenummer Ärendenummer Meddelande Kundtext Handläggartext
    Skickad Avsändare Roll Inkommande Från_handläggare Riktning Initial Intern Offentlig Typ Synlighet Bilaga Användare Handläggare Kunder Namn E-post Användarnamn Betyg Kundansvarig
    Omdöme Projektstatus Förfallodatum Ändrad_av Kommentarer`),
  turkish:
    table(`Talep_No Konu Açıklama Yanıt Durum Öncelik Etiketler Oluşturulma_Tarihi Güncelleme_Tarihi Kapanış_Tarihi Talep_Eden Sorumlu Talepler Mesajlar Mesaj_No Talep_No Mesaj Müşteri_Metni Temsilci_Metni
    Gönderim_Tarihi Gönderen Rol Gelen Temsilciden Yön Baş_Harf Gizli Herkese_Açık Tür Görünürlük Ek Kullanıcılar Temsilciler Müşteriler Ad E-posta Kullanıcı_Adı Puan Müşteri_Yöneticisi
    Görüş Proje_Durumu Son_Tarih Değiştiren Yorumlar`),
  japanese:
    table(`チケット番号 件名 説明 回答 ステータス 優先度 タグ 作成日時 更新日時 完了日時 依頼者 担当者 チケット メッセージ メッセージ番号 チケット番号 本文 お客様の文 担当者の文
    送信日時 送信者 役割 受信 担当者から 方向 頭文字 非公開 公開 種別 公開範囲 添付ファイル ユーザー 担当者一覧 顧客 名前 メール ログイン 評価 営業担当
    感想 案件状態 期限 変更者 コメント`),
  form: table(`No. What_is_it_about? Please_describe_your_problem Our_answer Where_are_we? How_urgent_is_it? Keywords When_did_you_write? Last_touched When_was_it_done? Your_contact Who_takes_care? Tickets Messages No. Ticket_no. What_was_said? What_you_said What_we_said
    When? From_whom? Which_side? Did_it_come_in? From_us? In_or_out? Initials Only_for_us? May_the_customer_see_it? Which_kind? Who_may_see_it? File_link Users Agents Customers name email login Your_rating Account_manager
    Survey_remark Project_state Due_by Changed_by_whom? Comments`),
  danish:
    table(`Sagsnummer Emne Beskrivelse Svar Status Prioritet Mærker Oprettet Opdateret Lukket Anmoder Sagsbehandler Sager Beskeder Beskednummer Sagsnummer Besked Kundetekst Medarbejdertekst
    Sendt Afsender Rolle Indgående Fra_medarbejder Retning Initial Intern Offentlig Type Synlighed Vedhæftning Brugere Medarbejdere Kunder Navn E-mail Brugernavn Bedømmelse Kundeansvarlig
    Tilfredshed Projektstatus Forfaldsdato Ændret_af Kommentarer`),
  czech:
    table(`Číslo_požadavku Předmět Popis Odpověď Stav Priorita Štítky Vytvořeno Upraveno Uzavřeno Žadatel Řešitel Požadavky Zprávy Číslo_zprávy Číslo_požadavku Zpráva Text_zákazníka Text_operátora
    Odesláno Odesílatel Role Příchozí Od_operátora Směr Iniciála Soukromé Veřejné Druh Viditelnost Příloha Uživatelé Operátoři Zákazníci Jméno E-mail Přihlášení Hodnocení Správce_účtu
    Zpětná_vazba Stav_projektu Termín Změnil Komentáře`),
  finnish:
    table(`Tapausnumero Aihe Kuvaus Vastaus Tila Kiireellisyys Tunnisteet Luotu Päivitetty Suljettu Pyytäjä Käsittelijä Tapaukset Viestit Viestinumero Tapausnumero Viesti Asiakkaan_teksti Käsittelijän_teksti
    Lähetetty Lähettäjä Rooli Saapuva Käsittelijältä Suunta Alkukirjain Sisäinen Julkinen Laji Näkyvyys Liite Käyttäjät Käsittelijät Asiakkaat Nimi Sähköposti Tunnus Arvio Asiakasvastaava
    Palaute Projektin_tila Määräaika Muuttaja Kommentit`),
  'made-up':
    table(`zorb quint flarn grelp vost brim kalt ondo ondu onde wemp wulk zorbs mims mim_zorb zorb_of plon plon_w plon_u
    tarn hask sode ingo ulfa vend ikk shob obsh drim vish clip folk ulfs wemps nomm emmo logg scor mang
    feeb prost dund chang comb`),
  'other-synonyms':
    table(`reference headline issue_text reply workflow_state importance keywords raised_at touched_at finished_at caller handled_by incidents updates update_id incident_reference note_text caller_text team_text
    written_at written_by party is_incoming by_team flow side restricted customer_visible sort shown_to attached_file contacts team callers display_name mail handle nps relationship_owner
    survey_text project_state sla_due last_editor remarks`),
};

export type Name = (concept: Concept) => string;

/** Names for one export; columns without a meaning are numbered in the order in which they are asked for. */
export function namesOf({ naming }: Pick<Choices, 'naming'>): Name {
  const plain = DICTIONARIES['plain'] ?? {};
  if (naming === 'meaningless') {
    const given = new Map<string, string>();
    return (concept) => {
      const known = given.get(concept) ?? `c${given.size + 1}`;
      given.set(concept, known);
      return known;
    };
  }
  const dictionary = DICTIONARIES[naming] ?? plain;
  return (concept) => {
    const [base = '', aspect] = concept.split('.');
    const word = dictionary[base] ?? plain[base] ?? base;
    const style = naming === 'camel' ? 'camel' : 'snake';
    const joined =
      aspect === undefined
        ? word
        : style === 'camel'
          ? `${word}${aspect[0]?.toUpperCase()}${aspect.slice(1)}`
          : `${word}_${dictionary[aspect] ?? aspect}`;
    if (naming === 'upper') return joined.toUpperCase();
    if (naming === 'spaced' || naming === 'form')
      return joined
        .split('_')
        .map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}`)
        .join(' ');
    return naming === 'prefixed' ? `hd_${joined}` : joined;
  };
}
