/** The ISO 3166-1 alpha-2 and alpha-3 codes of each country; documents also use XKX, for Kosovo. */
const codes =
  "AFAFG AXALA ALALB DZDZA ASASM ADAND AOAGO AIAIA AQATA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE BSBHS BHBHR BDBGD BBBRB BYBLR BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BVBVT BRBRA IOIOT BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN KYCYM CFCAF TDTCD CLCHL CNCHN CXCXR CCCCK COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK DJDJI DMDMA DODOM ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF TFATF GAGAB GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY HTHTI HMHMD VAVAT HNHND HKHKG HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KPPRK KRKOR KWKWT KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT MUMUS YTMYT MXMEX FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC NENER NGNGA NUNIU NFNFK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL PNPCN PLPOL PTPRT PRPRI QAQAT REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF GSSGS SSSSD ESESP LKLKA SDSDN SRSUR SJSJM SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA TLTLS TGTGO TKTKL TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR UMUMI USUSA UYURY UZUZB VUVUT VEVEN VNVNM VGVGB VIVIR WFWLF EHESH YEYEM ZMZMB ZWZWE XKXKX"

const alpha2 = new Map(codes.split(" ").map((code) => [code.slice(2), code.slice(0, 2)]))

const namesIn = (locale: string): ((code: string) => string) => {
  const names = new Intl.DisplayNames([locale, "en"], { type: "region" })
  return (code) => names.of(alpha2.get(code) ?? code) ?? code
}

export const countryName = (code: string, locale: string): string =>
  alpha2.has(code) ? namesIn(locale)(code) : code

/** By alpha-3 code, sorted by name; all if `among` is empty. */
export const countries = (locale: string, among: ReadonlyArray<string>) => {
  const nameOf = namesIn(locale)
  const chosen = [...alpha2.keys()].filter((code) => among.length === 0 || among.includes(code))
  const { compare } = new Intl.Collator(locale)
  return chosen
    .map((code) => ({ code, name: nameOf(code) }))
    .sort((left, right) => compare(left.name, right.name))
}

/** Of a machine-readable zone, where Germany is a single letter. */
export const zoneCountry = (code: string): string | undefined => {
  const country = code === "D" ? "DEU" : code
  return alpha2.has(country) ? country : undefined
}
