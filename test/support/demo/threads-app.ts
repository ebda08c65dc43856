/** The Tide app, in English. */
import { agent, customer, expert, note, system, type Thread } from './thread.ts';

export const appThreads: readonly Thread[] = [
  {
    name: 'bluetooth',
    locale: 'en',
    team: 'app',
    tags: ['app', 'bluetooth', 'hardware'],
    priorities: ['normal'],
    subjects: [
      'Scale does not connect',
      'Bluetooth pairing fails since {version}',
      'App cannot find my scale',
    ],
    times: 7,
    steps: [
      customer('start', [
        'Since the update to {version} the app does not find my scale any more. I have restarted everything. The scale works, the light is blue. Phone is two years old, system up to date.\n\n{first}',
        'Hi team, pairing stops at 80 % and then "device not supported". It did work until last week (app {version}).',
      ]),
      agent(
        'hours',
        'Hi {first},\n\nthank you for the details. Could you try these in this order, please?\n\n- In the **phone\'s** Bluetooth settings remove "Tide Scale" (not only in our app).\n- Hold the scale\'s button for ten seconds until it beeps twice.\n- Open the app and wait half a minute *before* you tap "Add".\n\nIf it still fails: Settings → About → "Send log". It needs no personal data.\n\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer(
        'day',
        'Did all three. It finds the scale now, but loses it after a minute. I have sent the log.',
        { files: ['tide-log.txt'], status: 'open' },
      ),
      note(
        'hours',
        'Log looks like the power saving thing:\n\n    W/BleGatt: supervision timeout 0x08\n    W/BleGatt: reconnect skipped (doze)\n\nAsking the app team.',
      ),
      expert(
        'day',
        'Hi {first}, this is Mei from the app team. The system puts our connection to sleep to save battery. In {version} we forgot to ask for an exception. The fix is in the beta, and I can give you access if you like.',
      ),
      customer('hours', 'Yes please!'),
      expert('day', 'Invitation sent. Tell me how it goes.'),
      customer('days', 'Three days without a single loss of connection. Great work 💪', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'sync-lost',
    locale: 'en',
    team: 'app',
    tags: ['app', 'sync', 'data'],
    priorities: ['high', 'urgent'],
    subjects: ['All my recipes are gone', 'Brew log empty after update', 'Data lost!'],
    times: 5,
    steps: [
      customer('start', [
        'I opened the app this morning and my brew log is empty. Two years of recipes, more than 400 entries. Please tell me that there is a copy somewhere.\n\n{name}',
        'HELP. Updated to {version}, logged in, nothing there. No recipes, no log, no favourites.',
      ]),
      agent(
        'minutes',
        'Hi {first},\n\nplease do nothing in the app for now, above all do not log out. I am looking at your account with a developer.\n\n{agent}',
        { status: 'pending' },
      ),
      note(
        'minutes',
        'Account has two profiles since the merge on {date}; the app shows the empty one. Data is complete on the server (412 entries).',
      ),
      expert(
        'minutes',
        'Hello {first}, Mei here. Breathe: everything is there. You have two profiles because you once signed up with the same address in capital letters, and the update picked the wrong one. I have joined them. Please pull down on the log page to reload.',
      ),
      customer('minutes', 'It is all back. I could hug you both. Thank you!!! 😭☕', { status: 'resolved' }),
      agent(
        'hours',
        'We are as glad as you are. The cause is fixed in the next version, and for two profiles in one account there is an alarm now.\n\n{agent}',
      ),
    ],
  },
  {
    name: 'dark-mode',
    locale: 'en',
    team: 'app',
    tags: ['feature request', 'app'],
    priorities: ['low'],
    subjects: ['Dark mode?', 'Timer on the watch', 'Wish: let the app work out the water'],
    times: 7,
    steps: [
      customer('start', [
        'Love the app. One wish: a dark mode. I brew at five in the morning and the white screen wakes up the whole house 😄\n\n{first}',
        'Hi, could the timer run on the watch as well? My hands are wet when I pour, and the phone does not like that.',
        'A small idea: when I change the dose, let the app work out the water by itself. And please let me choose between grams and ounces per recipe, not for the whole app.',
      ]),
      agent(
        'day',
        [
          'Hi {first}, I like that. I have added your voice to the wish list, where it stands in the upper third. No promise and no date, but you will hear from us when it comes.\n\n{agent}',
          'Hello {first},\n\nthank you for writing it down so clearly. The product team reads every one of these; I have attached yours to the existing request.\n\n{agent}',
        ],
        { status: 'pending' },
      ),
      note('hours', 'Added to the request list, 37 votes so far.'),
    ],
  },
  {
    name: 'crash',
    locale: 'en',
    team: 'app',
    tags: ['app', 'crash', 'bug'],
    priorities: ['high', 'normal'],
    subjects: ['App crashes on start', 'Tide {version} closes by itself', 'Crash when I open a recipe'],
    times: 6,
    steps: [
      customer(
        'start',
        [
          'App {version} crashes as soon as I open a recipe with a photo. Every time. Recipes without a photo work.\n\nSteps:\n1. open "My recipes"\n2. tap one with a photo\n3. boom\n\n{first}',
          'Your app closes right after the logo. Reinstalled twice. It is unusable for me now.',
        ],
        { files: ['screen-recording.mp4'] },
      ),
      note(
        'hours',
        'I can reproduce it with {version}: photos over 12 megapixels. Stack trace:\n\n    java.lang.OutOfMemoryError: Failed to allocate 48771084 bytes\n      at tide.photo.Decoder.decode(Decoder.kt:88)',
      ),
      agent(
        'minutes',
        'Hi {first},\n\nthank you, with your steps I can see it happen on my own phone. The developers have it on their table. Until the fix is out, this helps: Settings → Photos → "small previews".\n\n{agent}',
        { status: 'pending' },
      ),
      system('week', 'Release after {version} published in the stores. Contains: fix for large photos.'),
      agent('hours', 'The fix is in the stores since this morning, {first}. Would you try it?\n\n{agent}'),
      customer('day', ['Works. Photos are faster than before, too.', 'Fixed for me, thanks.'], {
        status: 'resolved',
      }),
    ],
  },
];
