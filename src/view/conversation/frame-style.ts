/**
 * The whole style of the frame in which a body is shown, in the report and in the sandbox. Margins are whole lines, so that
 * text below a frame can follow them.
 */
export function frameStyle(pixels: number): string {
  return `:root{color-scheme:light dark}
body{margin:0;color:light-dark(#171b21,#e7eaee);font:${pixels}px/22px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,dd,pre,table,blockquote,hr{margin:0 0 22px;font-size:inherit}
body>:last-child,.content>:last-child,li>:last-child,td>:last-child,blockquote>:last-child{margin-bottom:0}
.content{display:flow-root;overflow-x:auto}
ul,ol{padding-left:1.3em}
li>ul,li>ol{margin:0}
blockquote{padding-left:.8em;border-left:3px solid #8886}
blockquote,samp,.no-text{color:light-dark(#566074,#9ca7b8)}
pre,code,samp,kbd{font:13px/22px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
table{border-collapse:collapse}
td,th{padding:0 .6em 0 0;text-align:left;vertical-align:top}
hr{border:0;border-top:1px solid #8886}
img{max-width:100%;height:auto}
a{color:inherit;text-decoration:underline dotted}
a[href]{color:light-dark(#2a53c8,#94b4ff)}`;
}
