/** What other languages write where cdr has a word or nothing: lexed whole, so that it is reported whole. */
export const foreignOperator = /\*\*=?|&&|\|\||===|!==|[-+*/]=|->|:=|<-(?=[ \t])|<>|\|>|!(?!=)|\$\w*|[;%^&@?~\\]/y;
