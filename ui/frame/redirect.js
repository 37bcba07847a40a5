// Opens a page under its own address, with the query of this one, in place of the page with another address.
export default function ({ data }) {
  const to = new URL(data.page ? `./${data.page}` : "./", location.href);
  to.search = location.search;
  location.replace(to);
}
