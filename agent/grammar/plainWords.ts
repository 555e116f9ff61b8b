// Writes short, drawn-out and clipped words in their usual spelling.

import type { Words } from "#agent/grammar/splitWords.ts";
import { squeezed } from "#agent/grammar/tolerance.ts";
import { isChatWord, isVerbForm } from "#agent/grammar/wordRoles.ts";

const SMALL = new Set("the of is are what for a in on and to how does did at".split(" "));
const SMALL_MIN = 2;

/** `goin`, `sellin'`. */
const CLIPPED = /^[a-z]{2,}in'?$/;
const LETTER_N = 110;
const APOSTROPHE = 39;

/** Short forms and frequent misspellings of words that questions are made of. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
	(
		"abeg=please wetin=what dey=is wan=want oga=sir px=price persons=people alredy=already alrdy=already alraedy=already wuold=would woudl=would stok=stock stokc=stock tok=token inof=info ifno=info w/o=without uniq=unique waht=what wat=what wut=what wht=what whta=what wats=whats wuts=whats whts=whats watz=whats whast=whats " +
		"hw=how hwo=how teh=the hte=the r=are mny=many muhc=much mch=much wich=which whcih=which " +
		"prev=previous fp=floor flr=floor vol=volume vols=volumes ob=orderbook avrg=average avge=average cnt=count cnts=counts cout=count coutn=count nbr=number " +
		"nmbr=number numbr=number qty=quantity pct=percent prcnt=percent perc=percent percnt=percent " +
		"vlm=volume vlume=volume volum=volume volumn=volume voulme=volume vloume=volume " +
		"flor=floor florr=floor flooor=floor floro=floor fllor=floor floorr=floor foor=floor " +
		"prc=price prise=price pirce=price prcie=price priec=price proce=price priice=price " +
		"cheepest=cheapest cheapst=cheapest chepest=cheapest cheapes=cheapest lowst=lowest " +
		"loweset=lowest hldr=holder hldrs=holders holdr=holder holdrs=holders hoders=holders " +
		"ownrs=owners ownr=owner onwers=owners onwer=owner whls=whales wales=whales " +
		"lst=last ltst=latest lates=latest latst=latest rcnt=recent recnt=recent recet=recent " +
		"curr=current crnt=current currnt=current curent=current currnet=current " +
		"collecs=collections collec=collection colls=collections coll=collection " +
		"colections=collections colection=collection collexion=collection collextion=collection " +
		"calender=calendar calander=calendar cal=calendar sched=schedule schedual=schedule " +
		"mkt=market mrkt=market markt=market liq=liquidity liqidity=liquidity liqudity=liquidity " +
		"sply=supply suply=supply supp=supply spply=supply txn=transaction txns=transactions " +
		"attr=attributes attrs=attributes attribs=attributes triat=trait triats=traits trats=traits " +
		"triats=traits rariy=rarity rarty=rarity raritiy=rarity rnk=rank lstd=listed listd=listed " +
		"lised=listed mintd=minted mnt=mint mnted=minted mnting=minting rvl=reveal revel=reveal " +
		"revealled=revealed reveald=revealed sld=sold sels=sells slaes=sales sals=sales sael=sale " +
		"bst=best bset=best tp=top trnding=trending trendin=trending upcmng=upcoming " +
		"upcomming=upcoming dropin=dropping 2nite=tonight 2night=tonight tn=tonight tonite=tonight tdy=today tday=today " +
		"2day=today todya=today yday=yesterday ystrdy=yesterday yest=yesterday tmr=tomorrow " +
		"tmw=tomorrow tmrw=tomorrow tomo=tomorrow 2moro=tomorrow tomorow=tomorrow tommorow=tomorrow " +
		"tommorrow=tomorrow wk=week wks=weeks yr=year yrs=years wkly=weekly hrly=hourly " +
		"smth=something sth=something smthn=something sumn=something somethin=something " +
		"sumthin=something some1=someone sum1=someone any1=anyone every1=everyone ppls=people " +
		"peeps=people folks=people fellas=people poeple=people peopel=people evry1=everyone " +
		"enuf=enough thru=through abt=about bout=about b4=before w=with wit=with w/=with n=and " +
		"rly=really rlly=really prolly=probably tho=though nevermind=nvm gud=good gd=good " +
		"stonk=stock stonks=stocks ordrbook=orderbook oderbook=orderbook orderbk=orderbook " +
		"bidz=bids offrs=offers ofers=offers lsitings=listings listngs=listings lisitngs=listings " +
		"wallts=wallets wllt=wallet addy=address addys=addresses addies=addresses " +
		"summery=summary sumary=summary overveiw=overview ovrview=overview rundwn=rundown " +
		"stts=stats sats=stats infos=info deets=details detials=details breakdwn=breakdown brkdown=breakdown brakdown=breakdown"
	)
		.split(" ")
		.map((pair) => {
			const [typed = "", plain = ""] = pair.split("=");
			return [typed, plain] as const;
		}),
);

/**
 * Writes short, drawn-out and clipped words in full (`cnt`, `flooor`, `goin`), for questions only.
 * What was typed stays in `raw`, so a name keeps its own spelling.
 */
export function plainWords(words: Words, isKnown: (low: string) => boolean): Words {
	let low: string[] | undefined;
	for (let at = 0; at < words.low.length; at++) {
		if (words.kinds[at] !== "word") continue;
		const typed = words.low[at] ?? "";
		const plain = plainWord(typed, isKnown);
		if (plain === typed) continue;
		low ??= [...words.low];
		low[at] = plain;
	}
	const plain = low ? { ...words, low } : words;
	const proper = properPlaces(words, isKnown);
	return proper ? { ...plain, proper } : plain;
}

/**
 * Finds words that are written like a name, with a capital, in a text that is written in small
 * letters otherwise. A word that begins a sentence counts only in front of another one.
 */
function properPlaces(
	{ raw, low, kinds, isApart }: Words,
	isKnown: (low: string) => boolean,
): ReadonlySet<number> | undefined {
	if (!raw.some(isCapital)) return undefined;
	const proper = new Set<number>();
	let small = 0;
	for (let at = raw.length - 1; at >= 0; at--) {
		const [typed = "", word = ""] = [raw[at], low[at]];
		if (kinds[at] !== "word") continue;
		const isFirst = at === 0 || isApart[at] === true;
		if (!isCapital(typed)) {
			if (/^[a-z]/.test(typed)) small += 1;
		} else if (isChatWord(word) || (isKnown(word) && typed === typed.toUpperCase())) {
			// Somebody Who Writes All Words Like This names nothing by it.
			if (!isFirst && SMALL.has(word)) return undefined;
		} else if (!isFirst || proper.has(at + 1)) proper.add(at);
	}
	return small >= SMALL_MIN && proper.size > 0 ? proper : undefined;
}

/** Returns a word in its usual spelling. */
export function plainWord(typed: string, isKnown: (low: string) => boolean): string {
	const plain = SPELLINGS.get(typed);
	if (plain !== undefined) return plain;
	const end = typed.charCodeAt(typed.length - 1) === APOSTROPHE ? typed.length - 1 : typed.length;
	if (typed.charCodeAt(end - 1) === LETTER_N && CLIPPED.test(typed) && !isKnown(typed)) {
		const whole = `${typed.slice(0, end)}g`;
		if (isKnown(whole) || isVerbForm(whole)) return whole;
	}
	return isDrawnOut(typed) ? squeezed(typed, isKnown) : typed;
}

/** Looks at the first letter only, as every text passes here. */
function isCapital(word: string): boolean {
	const first = word.charCodeAt(0);
	return first >= 65 && first <= 90;
}

/** Returns true for a character three times in a row. Without a pattern: every word passes here. */
function isDrawnOut(word: string): boolean {
	for (let at = 2; at < word.length; at++) {
		const code = word.charCodeAt(at);
		if (code === word.charCodeAt(at - 1) && code === word.charCodeAt(at - 2)) return true;
	}
	return false;
}
