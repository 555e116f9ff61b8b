/** URLs that no page may be handed, as an image or as a link. */
export const hostileUrls: readonly string[] = [
	...[
		"javascript:alert(1)",
		"JavaScript:alert(1)",
		" java\tscript:alert(1)",
		"java\nscript:alert(1)",
	],
	...[
		"\u0001javascript:alert(1)",
		"vbscript:msgbox(1)",
		"file:///etc/passwd",
		"blob:https://a.test/1",
	],
	...["data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD4="],
	...["DATA:TEXT/HTML,<b>", "data:application/xhtml+xml,<html/>", "data:,x", "data:image,x"],
	...["http://169.254.169.254/latest/meta-data", "https://169.254.169.254/x.png"],
	...["http://2852039166/x", "http://0xa9fea9fe/x", "http://0251.0376.0251.0376/x"],
	...["http://169.254.43518/x", "http://[::ffff:169.254.169.254]/x", "http://[fe80::1]/x"],
	...["http://127.0.0.1/x.png", "http://127.1/x", "http://localhost/x", "http://LOCALHOST./x"],
	...["http://10.0.0.7/x", "http://192.168.1.1/x", "http://172.16.0.1/x", "http://[::1]/x"],
	...["http://100.100.100.200/x", "http://metadata.google.internal/x", "http://printer/x"],
	...["http://me:secret@169.254.169.254/x", "https:\\\\169.254.169.254\\x", "https:/127.0.0.1/x"],
	...[
		"//169.254.169.254/x",
		"/x.png",
		"x.png",
		"ftp://a.test/x",
		"https://",
		"https://a\u0000.test/",
	],
	...["https://a.test/\u202egnp.x", "ws://a.test/", "intent://a.test/#Intent;end", "about:blank"],
];
