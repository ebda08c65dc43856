/** The whole style of the frame in which a body is shown; margins are whole lines, so that text below a frame can follow them. */
export const FRAME_STYLE = `:root{color-scheme:light dark}
body{margin:0;color:#171b21;font:15px/22px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,dd,pre,table,blockquote,hr{margin:0 0 22px;font-size:inherit}
body>:last-child,li>:last-child,td>:last-child,blockquote>:last-child{margin-bottom:0}
ul,ol{padding-left:1.3em}
li>ul,li>ol{margin:0}
blockquote{padding-left:.8em;border-left:3px solid #8886;opacity:.8}
pre,code,samp,kbd{font:13px/22px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
table{border-collapse:collapse}
td,th{padding:0 .6em 0 0;text-align:left;vertical-align:top}
samp{opacity:.75}
hr{border:0;border-top:1px solid #8886}
a{text-decoration:underline;text-decoration-style:dotted}
@media (prefers-color-scheme:dark){body{color:#e7eaee}}`;
