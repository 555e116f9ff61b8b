/** Lists: default and largest page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
