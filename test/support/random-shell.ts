/** Random launch scripts in bash, some with scripts that they call: the last `run` is what is compared. */
import { random } from "./random.ts";

type Random = ReturnType<typeof random>;

export interface RandomScript {
  readonly files: Readonly<Record<string, string>>;
}

const scalars = ["A", "B", "C", "NAME", "N", "M"];
const arrays = ["ARGS", "MORE"];
const words = [
  "8",
  "gpt",
  "--lr",
  "1e-4",
  "a/b.tar.gz",
  "llama-7b",
  "x=1",
  "--tp 2",
  "two words",
  "",
  "a:b",
  "a,b,c",
];
const numbers = ["N", "M"];

export function randomScript(seed: number): RandomScript {
  const dice = random(seed);
  const { pick, below } = dice;
  const head = [
    ...["A", "B", "C", "NAME"].map((name) => `${name}=${quoted(dice, pick(words))}`),
    ...numbers.map((name) => `${name}=${below(20)}`),
    ...arrays.map((name) => `${name}=(${some(dice, 4, () => quoted(dice, pick(words)))})`),
    `REF=${pick(["A", "N", "NAME"])}\ndeclare -A MAP=([tp]=${below(9)} ["a b"]=${quoted(dice, pick(words))} [name]=A)`,
    ...(below(2) === 0 ? [`set -- ${some(dice, 4, () => quoted(dice, pick(words)))}`] : []),
    `f() { local C=$1; shift; run f "$C" "$@"; }`,
    `g() { A="$2-$#"; echo "$1 $A"; }`,
    `sized() { local N=7; case $1 in *-7b|gpt) echo "--layers 32 $N" ;; [0-9]*) printf '%s ' "$@" ;; *) echo none >&2; return 1 ;; esac; }`,
    `each() { for i; do echo "-$i"; done; ${condition(dice)} && echo -n end; if ${condition(dice)}; then echo "$N"; else B=lost; fi; }`,
    `deep() { echo "$(sized "$1") $(each "$2")"; }`,
    `add() { local -n _to=$1; shift; _to+=("$@"); }`,
  ];
  const body = Array.from({ length: 2 + below(6) }, () => statement(dice, 0));
  const end = ending(dice);
  const inner = [
    `REF=A`,
    `declare -A MAP=([tp]=1 ["a b"]=two [name]=REF)`,
    ...Array.from({ length: below(3) }, () => statement(dice, 1)),
    ...(below(2) === 0 ? [pick(["shift", "shift 2 || true", 'set -- "$@" more', "Z=${1:-8}; shift", options])] : []),
    `run ${pick(['"$@"', "$*", '"$#" "${1:-none}" "${2-none}"', '$1 "$2" ${@:2}', '"$N" "${Z:-0}" $3'])} ${value(dice)}`,
  ].join("\n");
  const main = [...head, ...body, end, ""].join("\n");
  return { files: { "main.sh": main, "inner.sh": `${inner}\n`, "sub/inner.sh": `A=sub\n${inner}\n` } };
}

const options =
  'while getopts "t:p:v" o; do case $o in t) T=$OPTARG;; p) P="$OPTARG";; v) V=1;; esac; done\nshift $((OPTIND - 1))\nrun "$T" "$P" "$V" "$@"';

function some(dice: Random, most: number, one: () => string): string {
  return Array.from({ length: dice.below(most + 1) }, one).join(" ");
}

function quoted({ pick }: Random, text: string): string {
  return pick([`"${text}"`, `'${text}'`, text === "" ? "''" : text.replaceAll(" ", "\\ ")]);
}

function ending(dice: Random): string {
  const list = (): string => some(dice, 3, () => value(dice));
  return dice.pick([
    () => `run ${list()}`,
    () => `run ${list()}`,
    () => `run ${list()}`,
    () => `f ${value(dice)} ${list()}`,
    () => `CMD="run ${dice.pick(["$A $B", "${ARGS[*]}", "$N ${MORE[@]}", "--x '$A'"])}"\n$CMD ${value(dice)}`,
    () =>
      `CMD="run ${dice.pick(["$A $N", "${ARGS[*]}", "\\$N $M"])}"\neval "$CMD" ${dice.pick(["end", "'a  b'", ""])}`,
    () => `CMD=(run "\${ARGS[@]}" ${list()})\n"\${CMD[@]}"`,
    () => `export N M\nbash inner.sh ${list()}`,
    () => `source inner.sh ${list()}`,
    () => `. ./inner.sh ${list()}\nrun "$@" ${value(dice)}`,
    () => `N=5 srun --ntasks=2 bash inner.sh ${list()}`,
    () => `export A N\nsbatch --nodes=2 inner.sh ${list()}`,
    () => `export A\nbash -c 'run "$0" "$1" "$@" $A' zero ${list()}`,
    () => `bash inner.sh -t 4 -v -p "a b" ${list()}`,
    () => `run ${list()} | tee log`,
    () => `(cd sub && bash inner.sh ${list()})`,
    () => `pushd sub\nsource inner.sh ${list()}\npopd`,
    () => `if [[ $AGAIN != 1 ]]; then AGAIN=1 bash main.sh > /dev/null; fi\nrun ${list()}`,
  ])();
}

function statement(dice: Random, depth: number): string {
  const { pick, below } = dice;
  const name = pick(["A", "B", "C", "NAME"]);
  const list = pick(arrays);
  const number = pick(numbers);
  const inside = (): string => (depth > 1 ? `${name}=${value(dice)}` : statement(dice, depth + 1));
  return pick([
    () => `${name}=${value(dice)}`,
    () => `${name}=${value(dice)}`,
    () => `${name}+=${value(dice)}`,
    () => `${number}=$(( ${calculation(dice)} ))`,
    () => `${number}=$(( ${calculation(dice)} ))`,
    () => `(( ${number} ${pick(["+=", "-=", "*=", "="])} ${calculation(dice)} ))`,
    () => pick([`(( ${number}++ ))`, `let ${number}=${number}+2`, `let "${number} = M * 2"`, `: $(( ${number}++ ))`]),
    () => `${list}+=(${some(dice, 3, () => value(dice))})`,
    () => `${list}=(${some(dice, 3, () => value(dice))})`,
    () => `${list}[${pick(["0", "1", "N % 3", "${#" + list + "[@]}"])}]=${value(dice)}`,
    () => `MAP[${pick(["tp", "$NAME", "new"])}]=${value(dice)}`,
    () => `unset ${pick([name, list, `'${list}[0]'`])}`,
    () => `printf -v ${name} '${pick(["%s-%s", "%03d", "%s", "%d%%", "a%sb"])}' ${pick(["$N", "$N $M", "7"])}`,
    () =>
      `${name}=$(${pick(["echo $A $B", 'echo "$A  $B"', 'printf "%s,%s" "$A" $N', 'basename "$B"', "echo -n $N", "g x y"])})`,
    () => `IFS=${pick(["','", "':'", "$' \\t\\n'"])} read -r${pick(["", "a"])} ${list} <<< "a:b,c"`,
    () => `read -r ${name} REST <<< ${value(dice)}`,
    () => pick(["IFS=,", "IFS=:", "unset IFS", "IFS=", "IFS=$' \\t\\n'", 'IFS=" ,"']),
    () => `set -- ${some(dice, 3, () => value(dice))}`,
    () => pick(["shift", "shift 2"]),
    () => `if ${condition(dice)}; then\n${inside()}\n${below(2) === 0 ? `else\n${inside()}\n` : ""}fi`,
    () => `${condition(dice)} ${pick(["&&", "||"])} ${name}=${value(dice)}`,
    () =>
      `case ${pick(["$A", '"$NAME"', "$N"])} in\n*-7b|gpt) ${inside()} ;;\n[0-9]*) ${inside()} ;;\n*) ${inside()} ;;\nesac`,
    () =>
      `for i in ${some(dice, 3, () => value(dice))}; do ${pick([`${name}+="$i,"`, `${list}+=("$i")`, `${number}=$((${number}+1))`])}; done`,
    () => `for i; do ${name}+="$i"; done`,
    () => `for ((i=0; i<${1 + below(4)}; i++)); do ${pick([`${name}+="$i"`, `${list}+=(--x "$i")`])}; done`,
    () => `i=0; while [ $i -lt ${below(4)} ]; do ${name}+=$i; i=$((i+1)); done`,
    () =>
      `while [[ $# -gt 0 ]]; do case "$1" in --lr) ${name}="$2"; shift 2 || break ;; *) ${list}+=("$1"); shift ;; esac; done`,
    () =>
      `case ${pick(["$A", '"$NAME"', "$N"])} in\n*b*) ${inside()} ${pick([";;&", ";&"])}\n[0-9]*) ${inside()} ${pick([";;", ";;&", ";&"])}\n*a) ${inside()} ;;\nesac`,
    () => `add ${list} ${some(dice, 3, () => value(dice))}`,
    () => `declare -n to=${name}; to=${value(dice)}; unset -n to`,
    () => pick(["cd sub", "cd ..; cd $OLDPWD", "pushd sub; popd", "(cd sub)"]),
    () => `export "${name}=${pick(["$N", "a b", "x$M"])}"`,
    () => `g ${value(dice)} ${value(dice)} > /dev/null`,
    () => `local_() { local ${name}=inner; ${list}+=("$${name}"); }; local_`,
    () => `( ${name}=sub; ${number}=0 )`,
    () => `echo x | read ${name}`,
    () => `export ${name}=${value(dice)}`,
    () => `declare -i D; D=${pick(["N+1", "3*4"])}; ${name}=$D`,
    () => `readarray -t ${list} <<< ${pick(["$'a\\nb c\\nd'", '"$A"', '"$(echo $N; echo $M)"'])}`,
  ])();
}

function condition(dice: Random): string {
  const { pick } = dice;
  return pick([
    '[ "$A" = gpt ]', "[[ $NAME == *7b* ]]", '[ -z "$B" ]', '[[ -n $C && $N -gt 5 ]]', "(( N > M ))", "[ $N -le 9 ]",
    '[[ $A =~ ^[0-9]+$ ]]', '[ $# -gt 1 ]', '[ "${1:-}" != x ]', "[[ -v NAME ]]", '! [ "$A" = "$B" ]', "true", "false",
    '[[ "$NAME" < m ]]', "[ ${#ARGS[@]} -ge 2 ]", '[[ $A == "$B" || ! $C == gpt ]]', "[[ $NAME = llama-* ]]", "test $N -ne $M",
  ]); // prettier-ignore
}

function calculation(dice: Random): string {
  const { pick, below } = dice;
  const one = (): string => pick(["N", "M", "$N", "${M}", String(below(30)), "${#ARGS[@]}", "0x1f", "010", "$#"]);
  return pick([
    () => `${one()} ${pick(["+", "-", "*", "<<", "&", "|", "^"])} ${one()}`,
    () => `${one()} ${pick(["/", "%"])} ${1 + below(7)}`,
    () => `(${one()} + ${one()}) * ${below(9)} - ${one()}`,
    () => `${one()} > ${one()} ? ${one()} : ${one()}`,
    () => `-${one()} + !${one()}`,
    () => `${one()} ** 2`,
    () => `${one()} == ${one()} && ${one()} <= 9 || ${one()} >= ${one()}`,
    () => `~${one()} , ${one()} % 4`,
    () => `N += 2`,
    () => `M++ + 1`,
    () => `--N`,
    () => `2#101 + ${one()}`,
  ])();
}

function value(dice: Random): string {
  const { pick, below } = dice;
  const name = pick(scalars);
  const list = pick(arrays);
  const bare = pick([
    () => `$${name}`, () => `$${name}`, () => `\${${name}}`, () => `\${${name}:-8}`, () => `\${${name}-none}`, () => `\${${name}:+set}`,
    () => `\${UNSET:-$${name}}`, () => `\${${name}:=given}`, () => `\${#${name}}`, () => `\${${name}##*/}`, () => `\${${name}%%.*}`,
    () => `\${${name}#*-}`, () => `\${${name}%b}`, () => `\${${name}/a/o}`, () => `\${${name}//[a-l]/_}`, () => `\${${name}/#--/}`,
    () => `\${${name}/%b/B}`, () => `\${${name}//,/ }`, () => `\${${name}:1}`, () => `\${${name}:1:3}`, () => `\${${name}: -2}`, () => `\${${name}:0:-1}`,
    () => `\${${name}^^}`, () => `\${${name},,}`, () => `\${${name}^}`, () => `\${${list}[@]}`, () => `\${${list}[*]}`, () => `\${#${list}[@]}`,
    () => `\${${list}[${below(3)}]}`, () => `\${${list}[-1]}`, () => `\${${list}[N%2]}`, () => `\${${list}[@]:1}`, () => `\${${list}[@]:1:2}`,
    () => `\${!${list}[@]}`, () => `\${${list}[@]/#/-}`, () => `\${${list}[@]%b}`, () => `\${${list}[@]:-none}`, () => `\${${list}[0]:-none}`, () => `\${${list}[0]##*-}`,
    () => `\${MAP[tp]}`, () => `\${MAP[$NAME]:-none}`, () => `\${MAP["a b"]}`, () => `\${#MAP[@]}`, () => `\${!REF}`, () => `\${!MAP[name]}`,
    () => `$(( ${calculation(dice)} ))`, () => "$#", () => "$1", () => "${2:-8}", () => "$@", () => "$*", () => "${@:2}", () => "${#@}", () => "${*:1:2}",
    () => `$(echo ${name} $${name})`, () => "$(echo $((N + 1)))", () => '$(basename "$B" .gz)', () => '$(dirname "$B")', () => `\`echo $${name}\``,
    () => "$(hostname)", () => "$(seq 1 3)", () => `\${${name}@Q}`, () => `$(printf '%s-' "\${${list}[@]}")`, () => '$(echo "$A" | tr a-z A-Z)', () => `$(sized $${name} b)`, () => `$(each "$${name}" 8)`, () => `$(deep $${name} "\${${list}[@]}")`,
    () => `$(if ${condition(dice)}; then echo $${name}; else basename "$B"; fi)`, () => `$(cd sub; ${condition(dice)} || echo "$N"; each)`, () => '$(IFS=,; echo "$*")',
  ])(); // prettier-ignore
  return pick([
    () => bare, () => `"${bare}"`, () => `"${bare}"`, () => `--x=${bare}`, () => `"a ${bare} b"`, () => `${bare}z`,
    () => `${name}`, () => quoted(dice, pick(words)), () => `{a,b}${below(3)}`, () => `$'t\\x41'`, () => `'$A'`, () => `"\\$${name} \\"q\\" \\\\ \\n"`, () => `a\\ ${bare}`, () => `x{1..3}`,
  ])(); // prettier-ignore
}
