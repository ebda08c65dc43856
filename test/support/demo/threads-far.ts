/** Conversations in Japanese and Arabic. */
import { agent, customer, note, type Thread } from './thread.ts';

export const japaneseAndArabicThreads: readonly Thread[] = [
  {
    name: 'ja-haitatsu',
    locale: 'ja',
    team: 'shop',
    tags: ['shipping', '日本語'],
    priorities: ['normal', 'high'],
    subjects: ['注文{order}が届きません', '配送状況について', '商品未着のお問い合わせ'],
    times: 5,
    steps: [
      customer('start', [
        'お世話になっております。{name}と申します。\n\n{date}に注文した「{product}」(注文番号:{order})がまだ届いておりません。追跡番号{tracking}で確認すると「輸送中」のままです。状況を教えていただけますでしょうか。\n\nよろしくお願いいたします。',
        'はじめまして。先日購入した{product}ですが、不在票が入っておらず、再配達の依頼ができません。どうすればよいでしょうか。',
      ]),
      agent(
        'hours',
        '{name}様\n\nお問い合わせいただきありがとうございます。ご不便をおかけして申し訳ございません。\n配送会社に確認しておりますので、明日までに改めてご連絡いたします。\n\nJuniper & Tide サポート\n{agent}',
        { status: 'pending' },
      ),
      note('minutes', '配送会社に調査依頼済み。見つからない場合は再送する。'),
      agent(
        'day',
        '{name}様\n\nお荷物が確認できました。明後日の午前中にお届けの予定です。送料は返金いたしました。\n今後ともよろしくお願いいたします。\n\n{agent}',
      ),
      customer('days', '本日、無事に受け取りました。迅速なご対応ありがとうございました😊', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'ja-app',
    locale: 'ja',
    team: 'app',
    tags: ['app', 'login', '日本語'],
    priorities: ['normal'],
    subjects: ['アプリにログインできません', '機種変更後のデータ移行', 'ログインエラー'],
    times: 4,
    steps: [
      customer(
        'start',
        '機種変更をしたところ、Tideアプリにログインできなくなりました。パスワード再設定のメールも届きません。\n\n・アプリのバージョン:{version}\n・エラー:「認証に失敗しました」\n\nご確認をお願いします。',
        { files: ['スクリーンショット.png'] },
      ),
      agent(
        'hours',
        '<p>{name}様</p><p>ご連絡ありがとうございます。以下の手順をお試しください。</p><ol><li>アプリを一度削除する</li><li>端末を再起動する</li><li>再インストール後、<strong>「メールでログイン」</strong>を選ぶ</li></ol><p>それでも解決しない場合は、お手数ですがご返信ください。</p><p>{agent}</p>',
        { as: 'html', status: 'pending' },
      ),
      customer('hours', 'ログインできました!記録も全部残っていて安心しました。ありがとうございます🙇', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'ja-ryoshusho',
    locale: 'ja',
    team: 'wholesale',
    tags: ['billing', 'invoice', '日本語'],
    priorities: ['low', 'normal'],
    subjects: ['領収書の発行をお願いします', '請求書{invoice}の宛名変更', '法人名義の請求書について'],
    times: 4,
    steps: [
      customer(
        'start',
        'いつもお世話になっております。\n請求書{invoice}({amount})の宛名を「株式会社しおかぜ珈琲」に変更していただけますか。経理の締めが今週末のため、お急ぎいただけると助かります。\n\n{name}',
      ),
      agent('hours', '{name}様\n\n宛名を変更した請求書を添付いたします。ご確認くださいませ。\n\n{agent}', {
        files: ['請求書.pdf'],
        status: 'resolved',
      }),
      customer('hours', '確認いたしました。早速のご対応に感謝いたします。'),
    ],
  },
  {
    name: 'ar-talab',
    locale: 'ar',
    team: 'shop',
    tags: ['shipping', 'العربية'],
    priorities: ['normal', 'high'],
    subjects: ['لم يصل طلبي {order}', 'تأخر الشحنة', 'استفسار عن موعد التسليم'],
    times: 5,
    steps: [
      customer('start', [
        'السلام عليكم ورحمة الله،\n\nطلبت «{product}» بتاريخ {date} (رقم الطلب {order}) ولم يصل حتى الآن. رقم التتبع هو {tracking}. هل يمكنكم مساعدتي من فضلكم؟\n\nمع الشكر،\n{name}',
        'مرحبًا، وصلتني رسالة بأن الشحنة محتجزة في الجمارك في {city}. ماذا عليّ أن أفعل؟ رقم الطلب {order}.',
      ]),
      agent(
        'hours',
        'وعليكم السلام {first}،\n\nنعتذر عن التأخير. تواصلنا مع شركة الشحن وسنوافيكم بالنتيجة غدًا بإذن الله. إن فُقدت الشحنة فسنرسل لكم بديلًا دون أي تكلفة.\n\nتحياتي،\n{agent}',
        { status: 'pending' },
      ),
      customer('days', 'وصلت اليوم والحمد لله، والتغليف ممتاز. شكرًا جزيلًا على سرعة الرد 🌹', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'ar-istirdad',
    locale: 'ar',
    team: 'shop',
    tags: ['refund', 'العربية'],
    priorities: ['normal'],
    subjects: ['طلب استرداد المبلغ', 'خصم المبلغ مرتين', 'خصم مكرر'],
    times: 4,
    steps: [
      customer(
        'start',
        'مرحبًا،\n\nتم خصم {amount} من بطاقتي مرتين هذا الشهر مقابل اشتراك «{plan}». أرجو إعادة أحد المبلغين. أرفقت صورة من كشف الحساب.\n\n{name}',
        { files: ['statement.png'] },
      ),
      agent(
        'hours',
        'مرحبًا {first}،\n\nأنتم على حق، وقد أعدنا المبلغ {amount} إلى بطاقتكم، وسيظهر خلال ٣ إلى ٥ أيام عمل. نعتذر عن هذا الخطأ.\n\n{agent}',
        { status: 'pending' },
      ),
      note('minutes', 'Refunded the second payment. Same retry bug as in the English tickets.'),
      customer('week', 'تم استلام المبلغ، شكرًا لكم.', { status: 'resolved' }),
    ],
  },
];
