/** Conversations in French, Spanish, Italian and Portuguese. */
import { agent, customer, note, type Thread } from './thread.ts';

export const romanceThreads: readonly Thread[] = [
  {
    name: 'fr-remboursement',
    locale: 'fr',
    team: 'shop',
    tags: ['refund', 'français'],
    priorities: ['normal'],
    subjects: ['Remboursement de la commande {order}', 'Retour : {product}', 'Commande {order}'],
    times: 5,
    steps: [
      customer(
        'start',
        [
          'Bonjour,\n\nj’ai reçu ma commande {order} ce matin, mais l’article « {product} » est fêlé. Je joins deux photos. Est-il possible d’être remboursé(e) ?\n\nCordialement,\n{name}',
          'Bonjour, je souhaite retourner le {product} (commande {order}) : il ne correspond pas à ce que j’attendais. Comment faire ?\nMerci d’avance, {first}',
        ],
        { files: ['photo-1.jpg'] },
      ),
      agent(
        'hours',
        'Bonjour {first},\n\ntoutes nos excuses ! Le remboursement de {amount} est lancé ; il apparaîtra sur votre compte d’ici 3 à 5 jours. Inutile de nous renvoyer l’article.\n\nBien à vous,\n{agent}',
        { status: 'pending' },
      ),
      customer('days', 'C’est bien arrivé, merci beaucoup pour votre réactivité ! À bientôt.', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'fr-application',
    locale: 'fr',
    team: 'app',
    tags: ['app', 'login', 'français'],
    priorities: ['normal', 'high'],
    subjects: [
      'Impossible de me connecter',
      'L’application plante depuis la mise à jour',
      'Erreur au démarrage de l’application',
    ],
    times: 4,
    steps: [
      customer(
        'start',
        'Bonjour, depuis la mise à jour {version} l’application affiche « Erreur inattendue » dès l’ouverture. J’ai déjà tout réinstallé… Que puis-je faire ?\n\n{first}',
      ),
      agent(
        'hours',
        '<p>Bonjour {first},</p><p>merci pour votre message. Pourriez-vous :</p><ul><li>vérifier que la date du téléphone est correcte,</li><li>nous envoyer le journal (<em>Réglages → À propos → Envoyer le journal</em>) ?</li></ul><p>Bonne journée,<br>{agent}</p>',
        { as: 'html', status: 'pending' },
      ),
      customer(
        'day',
        'C’était la date ! Mon téléphone se croyait en 2019. Tout fonctionne, désolé(e) du dérangement 😅',
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'es-pedido',
    locale: 'es',
    team: 'shop',
    tags: ['shipping', 'español'],
    priorities: ['normal', 'high'],
    subjects: ['¿Dónde está mi pedido {order}?', 'Pedido no recibido', 'Problema con el pedido {order}'],
    times: 5,
    steps: [
      customer('start', [
        'Hola, buenos días:\n\nHice el pedido {order} el {date} y todavía no ha llegado. El seguimiento ({tracking}) dice que «se ha entregado», pero aquí no hay nada. ¿Me pueden ayudar?\n\nUn saludo,\n{name}',
        '¡Hola! Me equivoqué de dirección en el pedido {order}. Ahora vivo en {city}. ¿Aún se puede cambiar?',
      ]),
      agent(
        'hours',
        'Hola, {first}:\n\nSentimos mucho las molestias. Ya hemos hablado con el transportista y mañana mismo tendrás noticias nuestras. Si no aparece, te enviamos otro sin coste.\n\nUn abrazo,\n{agent}',
        { status: 'pending' },
      ),
      note('minutes', 'El repartidor lo dejó en el número 15 en vez del 51. Lo recogen mañana.'),
      customer('days', '¡Ya lo tengo! Muchísimas gracias por todo, así da gusto.', { status: 'resolved' }),
    ],
  },
  {
    name: 'es-factura',
    locale: 'es',
    team: 'shop',
    tags: ['billing', 'español'],
    priorities: ['low', 'normal'],
    subjects: ['Factura {invoice}', 'Cobro duplicado', 'Me han cobrado de más'],
    times: 4,
    steps: [
      customer(
        'start',
        'Buenas tardes: este mes me han cobrado dos veces {amount} por la suscripción «{plan}». ¿Podrían revisarlo y devolverme uno de los cargos?\n\nGracias, {first}',
        { files: ['extracto.png'] },
      ),
      agent(
        'day',
        'Buenas tardes, {first}:\n\nTienes toda la razón, fue un error nuestro. Hemos devuelto **{amount}** a tu tarjeta; tarda entre 3 y 5 días.\n\n{agent}',
        { as: 'markdown', status: 'resolved' },
      ),
      customer('week', 'Devolución recibida. ¡Gracias!'),
    ],
  },
  {
    name: 'it-guarnizione',
    locale: 'it',
    team: 'shop',
    tags: ['warranty', 'italiano'],
    priorities: ['normal'],
    subjects: ['Garanzia {product}', 'Pezzo mancante nell’ordine {order}', 'Perde acqua dappertutto'],
    products: ['Anchor moka pot', 'Skerry French press'],
    times: 4,
    steps: [
      customer(
        'start',
        'Buongiorno,\n\nho acquistato un {product} con l’ordine {order} e purtroppo manca la guarnizione. È possibile riceverne una? Così com’è, perde acqua dappertutto.\n\nCordiali saluti,\n{name}',
      ),
      agent(
        'hours',
        'Buongiorno {first},\n\ncerto! La guarnizione parte oggi, gratis; arriverà a {city} fra tre o quattro giorni. Ci scusi per il disagio.\n\n{agent}',
        { status: 'pending' },
      ),
      customer('days', 'È arrivata ed è perfetta. Grazie mille, siete gentilissimi!', { status: 'resolved' }),
    ],
  },
  {
    name: 'pt-assinatura',
    locale: 'pt',
    team: 'shop',
    tags: ['subscription', 'português'],
    priorities: ['normal', 'low'],
    subjects: [
      'Assinatura: onde está a caixa?',
      'Não recebi a caixa deste mês',
      'Dúvida sobre o plano {plan}',
    ],
    times: 4,
    steps: [
      customer(
        'start',
        'Olá, bom dia!\n\nA caixa deste mês ainda não chegou a {city}, e a assinatura já foi cobrada ({amount}). Conseguem ver o que aconteceu?\n\nObrigada/o,\n{first}',
      ),
      agent(
        'hours',
        'Olá {first},\n\npeço desculpa pelo atraso: houve um problema na torrefação e as caixas saíram dois dias mais tarde. A sua está a caminho (código {tracking}) e leva um pacote extra. ☕\n\nUm abraço,\n{agent}',
        { status: 'pending' },
      ),
      customer('days', 'Chegou! E o café extra é ótimo. Muito obrigado(a)!', { status: 'resolved' }),
    ],
  },
];
